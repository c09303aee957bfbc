def test_rests(seconds, rest):
    rest(seconds)
