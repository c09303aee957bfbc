"""sample_data.py FOLDER: texts, photos, rows and a log for samples.py, the same ones each time."""

import gzip
import os
import random
import sys

WORDS = "the quiver holds arrows that fly one after another to their mark and back".split()


def texts(folder, chance):
    os.makedirs(folder)
    for number in range(8):
        with open(f"{folder}/part-{number:02}.txt", "w") as file:
            for _ in range(50):
                print(*chance.choices(WORDS, weights=range(len(WORDS), 0, -1), k=10), file=file)


def photos(folder, chance):
    """Greyscale images of 96 x 64 pixels (binary PGM)."""
    os.makedirs(folder)
    for number in range(4):
        with open(f"{folder}/{number}.pgm", "wb") as file:
            file.write(b"P5 96 64 255\n" + bytes(chance.randrange(256) for _ in range(96 * 64)))


def rows(path, chance):
    """Each hundredth lacks its amount."""
    with open(path, "w") as file:
        for number in range(1000):
            print(f"{number},{chance.random() * 100:.2f}" if number % 100 else f"{number},", file=file)


def log(path, chance):
    os.makedirs(os.path.dirname(path))
    with gzip.GzipFile(path, "w", mtime=0) as file:
        for second in range(1000):
            level = "ERROR" if chance.random() < 0.05 else "INFO"
            file.write(f"2026-01-01T00:{second // 60:02}:{second % 60:02}Z {level} request {second}\n".encode())


def main(folder):
    chance = random.Random(1)
    texts(f"{folder}/texts", chance)
    photos(f"{folder}/photos", chance)
    rows(f"{folder}/rows.csv", chance)
    log(f"{folder}/logs/2026-01-01.gz", chance)


main(sys.argv[1])
