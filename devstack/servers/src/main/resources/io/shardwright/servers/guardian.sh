# Outlives the JVM that started it by a moment: reads what the JVM owns from its standard input, and when that ends, by
# whatever death of the JVM, ends the processes, unmounts the disks and removes the directories that are still on the list.
#   process <pid> <start time of /proc/pid/stat, or -> <signal that ends it kindly>
#   ended <pid>
#   directory <path>
#   removed <path>
#   disk <mount point>
#   unmounted <mount point>
trap '' INT TERM HUP
owned=''
directories=''
disks=''
newline='
'

started() { # field 22, counted after the last bracket: the name of a process may hold anything
  sed 's/^.*) //' "/proc/$1/stat" 2>/dev/null | cut -d' ' -f20
}

same() { # a pid may have been given to somebody else meanwhile
  [ "$2" = - ] || [ "$(started "$1")" = "$2" ]
}

without() {
  printf '%s\n' "$1" | grep -v -x -F -e "$2" || true
}

while read -r verb subject rest; do
  case $verb in
    process) owned="$owned$newline$subject $rest" ;;
    ended) owned=$(printf '%s\n' "$owned" | grep -v "^$subject " || true) ;;
    directory) directories="$directories$newline$subject" ;;
    removed) directories=$(without "$directories" "$subject") ;;
    disk) disks="$disks$newline$subject" ;;
    unmounted) disks=$(without "$disks" "$subject") ;;
  esac
done

signal_all() { # $1: a signal, or nothing for each process's own
  printf '%s\n' "$owned" | while read -r pid start kind; do
    [ -n "$pid" ] && same "$pid" "$start" || continue
    kill -s CONT "$pid" 2>/dev/null
    kill -s "${1:-$kind}" "$pid" 2>/dev/null
  done
}

alive() {
  printf '%s\n' "$owned" | while read -r pid start kind; do
    [ -n "$pid" ] && same "$pid" "$start" && kill -0 "$pid" 2>/dev/null && echo "$pid"
  done
}

signal_all ''
tries=0 # 8 s: a PostgreSQL server needs 5 to be rid of backends that were frozen
while [ -n "$(alive)" ] && [ "$tries" -lt 80 ]; do
  sleep 0.1
  tries=$((tries + 1))
done
signal_all KILL
printf '%s\n' "$disks" | while read -r disk; do
  [ -n "$disk" ] && umount -l -- "$disk" # also while somebody who was just killed still has a file open there
done
printf '%s\n' "$directories" | while read -r directory; do
  [ -n "$directory" ] && rm -rf -- "$directory"
done
exit 0
