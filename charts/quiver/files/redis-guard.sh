#!/bin/sh
# Keeps places for connections free. Redis has no time limit for a connection that never gives its password, and refuses
# everybody, its administrator too, when maxclients is reached. So one connection stands from the start of Redis on. Twice
# a second it looks at all others, and ends:
#   - those without a password for ten seconds,
#   - all without one, ten times a second, while they take a tenth of the places,
#   - those of a namespace's user that takes a quarter of them.
# What connects from within the pod is left alone. The probes read what this connection learns: with a connection of
# their own they would find Redis dead whenever it is full.
#
#   redis-guard.sh FOLDER PORT    REDISCLI_AUTH has the password; FOLDER gets the files in, ready and alive
set -u
folder=$1 port=$2

# Ends without reading while it decides: its decisions must fit into the pipe that it writes to, and do.
decide='
function value(word) { return substr(word, index(word, "=") + 1) }
function now(  time) { "date +%s" | getline time; close("date +%s"); return time }
function note(file, time) { print time > (folder "/" file); close(folder "/" file) }
function forget() { split("", doors); split("", stale); split("", taken); silent = 0; late = 0 }
/^maxclients$/ { getline places; next }
/^id=/ {
    id = user = door = name = ""; age = 0
    for (i = 1; i <= NF; i++) {
        if ($i ~ /^id=/) id = value($i)
        else if ($i ~ /^laddr=/) door = value($i)
        else if ($i ~ /^name=/) name = value($i)
        else if ($i ~ /^age=/) age = value($i) + 0
        else if ($i ~ /^user=/) user = value($i)
    }
    if (door ~ /^(127\.|\[?::1)/) next
    taken[user]++
    if (user == "default" && name == "") {
        silent++
        doors[door] = 1
        if (age >= 10) stale[++late] = id
    }
    next
}
/^(LOADING|MISCONF)/ { note("alive", now()); next }
/^[0-9]+-beat$/ {
    note("ready", $0 + 0); note("alive", $0 + 0)
    if (places > 0 && silent > places / 10) {
        for (door in doors) print "CLIENT KILL USER default LADDR " door
        fflush()
        system("sleep 0.1") # who opens so many is back before the clock strikes again
        print "CLIENT LIST"
        print "PING " now() "-beat"
    } else for (i = 1; i <= late && i <= 500; i++) print "CLIENT KILL ID " stale[i]
    for (user in taken) if (user ~ /^quiver-/ && places > 0 && taken[user] > places / 4) print "CLIENT KILL USER " user
    fflush()
    forget()
}'

# mawk, the awk of Debian, waits for whole blocks of input unless it is told not to.
awk=awk
if awk -W version 2> /dev/null < /dev/null | grep -q '^mawk'; then awk='mawk -W interactive'; fi

rm -f "$folder/in"
mkfifo "$folder/in"
exec 3<> "$folder/in" # both ends, so that neither side ever sees the other one's end
while :; do
    # What was asked for and not answered is of no use to the next connection.
    while timeout 0.1 head -c 65536 <&3 | grep -q .; do :; done
    echo 'CLIENT NO-EVICT on' >&3
    echo 'CONFIG GET maxclients' >&3
    while :; do
        echo 'CLIENT LIST' >&3
        echo "PING $(date +%s)-beat" >&3
        sleep 0.5
    done &
    clock=$!
    redis-cli -h 127.0.0.1 -p "$port" <&3 2>&1 | $awk -v folder="$folder" "$decide" >&3
    kill $clock
    sleep 0.2
done
