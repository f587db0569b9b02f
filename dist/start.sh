#!/bin/sh
# Patchbay with its own Java runtime. Needs nothing but this folder, which may lie anywhere and be moved.
# PATCHBAY_JAVA_OPTS: options for the JVM, which win over ours.
set -u
script=$0
while [ -L "$script" ]; do
  target=$(readlink "$script")
  case $target in
    /*) script=$target ;;
    *) script=$(dirname "$script")/$target ;;
  esac
done
case $script in
  */*) ;;
  *) script=./$script ;;
esac
home=$(cd -P "${script%/*}/.." && pwd) || exit 1
case $home in
  *:*) echo "patchbay: cannot run from $home: Java allows no colon in this path" >&2; exit 1 ;;
esac

# In this order the AOT caches know them.
classpath=
for jar in @JARS@; do
  classpath=$classpath:$home/lib/$jar
done

# One start-up cache per kind of process, since all that is in it is loaded; the short commands share more with the kubelet than with the agent.
# Why these flags: docs/decisions/0010-start-of-the-jvm.md.
case " ${*-} " in
  *' --embedded-kubelet '*) kind=kubelet ;;
  ' agent '*) kind=agent ;;
  ' kubelet '*) kind=kubelet ;;
  *) kind=command ;;
esac
case $kind in
  agent)
    cache=agent
    flags='-Xms6m -Xmn2m -Xmx64m -XX:+ExitOnOutOfMemoryError -XX:TrimNativeHeapInterval=5000 -XX:+UnlockDiagnosticVMOptions -XX:AsyncDeflationInterval=60000'
    ;;
  kubelet)
    cache=kubelet
    flags='-Xms8m -Xmx128m -XX:CompileThresholdScaling=0.2 -XX:+ExitOnOutOfMemoryError -XX:TrimNativeHeapInterval=5000'
    ;;
  command)
    cache=kubelet
    flags='-Xmx256m'
    ;;
esac
# The user's options come last among the JVM's, so that they win.
# shellcheck disable=SC2086  # the options are words
set -- ${PATCHBAY_JAVA_OPTS:-} "-Dpatchbay.script=$home/bin/patchbay" -cp "${classpath#:}" dev.patchbay.cli.Patchbay "$@"
[ ! -r "$home/lib/$cache.aot" ] || set -- "-XX:AOTCache=$home/lib/$cache.aot" "$@"

# Without a locale the JVM cannot name files outside ASCII.
case ${LC_ALL:-${LC_CTYPE:-${LANG:-}}} in
  '' | C | POSIX) unset LC_ALL; export LC_CTYPE=C.UTF-8 ;;
esac

# shellcheck disable=SC2086  # the options are words
exec "$home/runtime/bin/java" \
  -XX:+UseSerialGC -XX:TieredStopAtLevel=1 -Xss256k -XX:-UsePerfData \
  -Xlog:disable -Xlog:all=warning:stderr \
  $flags "$@"
