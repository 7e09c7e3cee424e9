#!/bin/bash
# pipelines/quickstart.sh without building: meson and ninja are replaced by programs that put the
# finished build in place and note that they were called.
#
#   tests/report/quickstart.sh PROGRAM PLUGIN
#
# SPDX-License-Identifier: LGPL-2.1-or-later
set -euo pipefail

program=${1:?usage: tests/report/quickstart.sh PROGRAM PLUGIN}
plugin=${2:?usage: tests/report/quickstart.sh PROGRAM PLUGIN}
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
for tool in gst-launch-1.0 flock setpriv dpkg-query; do
  if ! command -v $tool > /dev/null; then
    echo "Skipped: there is no $tool"
    exit 77
  fi
done
unset GST_PLUGIN_PATH GST_PLUGIN_PATH_1_0

scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
chmod 755 "$scratch"
mkdir -p "$scratch/bin" "$scratch/built" "$scratch/tree/pipelines" "$scratch/home"
cp "$root"/pipelines/*.sh "$scratch/tree/pipelines"
# The test runs the script as another user, too. That user may not be able to read the build folder.
cp "$program" "$scratch/built/cudahisto-report"
cp "$plugin" "$scratch/built/libgstcudahisto.so"
cat > "$scratch/bin/meson" << 'END'
#!/bin/sh
[ "$1" = setup ] && shift
case $1 in -*) option=$1; shift ;; esac
echo "meson $1 $option" >> "$CALLS"
touch "$1/build.ninja"
END
# This machine's GPUs, as the variable GPUS says; the compiler knows two architectures.
cat > "$scratch/bin/nvidia-smi" << 'END'
#!/bin/sh
[ -n "${GPUS:-}" ] && printf "$GPUS"
END
cat > "$scratch/bin/nvcc" << 'END'
#!/bin/sh
printf 'compute_75\ncompute_90\n'
END
cat > "$scratch/bin/ninja" << 'END'
#!/bin/sh
echo "ninja $2" >> "$CALLS"
[ "$3" = all-but-tests ] || exit 1
sleep 0.5
mkdir -p "$2/plugin" "$2/pipelines/report"
# At once, because another run may load them now.
for file in plugin/libgstcudahisto.so pipelines/report/cudahisto-report; do
  cp "$BUILT/${file##*/}" "$2/$file.$$" && mv "$2/$file.$$" "$2/$file" || exit
done
echo "ninja ends" >> "$CALLS"
END
# All packages are there, unless MISSING is set.
cat > "$scratch/bin/dpkg-query" << 'END'
#!/bin/sh
[ -n "${MISSING:-}" ] || printf installed
END
chmod +x "$scratch/bin"/*
export PATH=$scratch/bin:$PATH CALLS=$scratch/calls BUILT=$scratch/built
export HOME=$scratch/home GST_REGISTRY_1_0=$scratch/registry
unset XDG_CACHE_HOME
touch "$CALLS"
gst-launch-1.0 -q audiotestsrc num-buffers=50 ! wavenc ! filesink location="$scratch/sound.wav"
start=$scratch/tree/pipelines/quickstart.sh

fail () {
  echo "FAILED: $1" >&2
  cat "$scratch/out" "$scratch/err" "$CALLS" >&2
  [ ! -e "$scratch/first" ] || { echo "The first of two:"; cat "$scratch/first"; } >&2
  exit 1
}
# expect STATUS PATTERN FILE WHAT: of the latest run
expect () {
  if [ "$status" != "$1" ] || ! grep -q -e "$2" "$scratch/$3"; then
    fail "$4"
  fi
}
# run COMMAND...: with its status in $status, and its output in files
run () {
  status=0
  "$@" > "$scratch/out" 2> "$scratch/err" < /dev/null || status=$?
}

run "$start" --help
expect 0 usage out "--help"
run "$start" "$scratch/nothing.wav"
expect 1 'cannot read' err "a missing file"
[ ! -s "$CALLS" ] || fail "it built for nothing"

run "$start" "$scratch/sound.wav"
expect 0 'audio 0' out "a file"
grep -q "Configuring $scratch/tree/build" "$scratch/err" || fail "says what it configures"
grep -q "Building .* in $scratch/tree/build" "$scratch/err" || fail "says what it builds"
# The line that it prints makes the element and the program usable.
run bash -c "$(grep '^  export GST_PLUGIN_PATH=' "$scratch/err") && gst-inspect-1.0 cudahisto && cudahisto-report $scratch/sound.wav"
expect 0 'audio 0' out "says where the plugins and programs are"

# Options are passed on; one with a value is not taken for an input.
run "$start" --json-summary --measures level "$scratch/sound.wav"
expect 0 '"type":"summary"' out "options"
mkdir -p "$scratch/tree/build/clip"
cp "$scratch/sound.wav" "$scratch/tree/build/clip/Megamind.avi"
touch "$scratch/tree/build/clip/vtest.avi"
for arguments in "" "--measures level" "-m level" "--measures=level --quiet"; do
  # shellcheck disable=SC2086
  run "$start" $arguments
  expect 0 'Megamind.avi' out "the clip with: $arguments"
done

# The kernels are built for the GPUs of this machine; if the compiler does not know one of them, for all
# that it knows.
for case in '9.0\n7.5\n9.0\n:-Dgpu-architectures=75,90' '7.5\n:-Dgpu-architectures=75' '9.0\n13.1\n:'; do
  rm -r "$scratch/tree/build"
  : > "$CALLS"
  GPUS=${case%:*} run "$start" "$scratch/sound.wav"
  expect 0 'audio 0' out "GPUs: $case"
  grep -q -x "meson $scratch/tree/build ${case#*:}" "$CALLS" || fail "the kernels for GPUs: $case"
done
if [ -z "$(compgen -G '/dev/nvidia[0-9]*'; compgen -G '/dev/nvhost-*gpu*'; compgen -G /dev/dxg)" ]; then
  rm -r "$scratch/tree/build"
  : > "$CALLS"
  run "$start" "$scratch/sound.wav"
  expect 0 'audio 0' out "no GPU"
  grep -q -x "meson $scratch/tree/build -Dkernels=disabled" "$CALLS" || fail "kernels without a GPU"
  grep -q 'no GPU' "$scratch/err" || fail "says that it builds no kernels"
fi

# Two at once: the builds do not overlap.
: > "$CALLS"
rm -r "$scratch/tree/build"
"$start" "$scratch/sound.wav" > "$scratch/first" 2>&1 &
run "$start" "$scratch/sound.wav"
wait $! || fail "the first of two"
[ $status = 0 ] || fail "the second of two"
[ "$(grep -c meson "$CALLS")" = 1 ] || fail "both configured"
[ "$(grep ninja "$CALLS" | cut -d ' ' -f 2 | paste -s -d ' ' | sed "s:$scratch/tree/build:b:g")" \
  = "b ends b ends" ] || fail "the builds overlap"

# Without the clip, a test picture is made. It takes the place of an older one, which another run may read.
odd="$scratch/it's \"a tree\\ ! x"
cp -r "$scratch/tree" "$odd"
rm -rf "$odd/build"
sed -i -e 's/^package_of_clip=.*/package_of_clip=no-such-package/' -e 's/^file_of_clip=.*/file_of_clip=nowhere/' \
  "$odd/pipelines/packages.sh"
run "$odd/pipelines/quickstart.sh"
expect 0 'generated.avi' out "a test picture"
ln "$odd/build/clip/generated.avi" "$scratch/older.avi"
run "$odd/pipelines/quickstart.sh"
expect 0 'generated.avi' out "a test picture again"
[ ! "$scratch/older.avi" -ef "$odd/build/clip/generated.avi" ] || fail "the older test picture was written to"
[ "$(ls "$odd/build/clip")" = generated.avi ] || fail "files beside the test picture"

# A user who is not root, without sudo: missing packages are named.
as_user=(setpriv --reuid=65534 --regid=65534 --clear-groups)
if [ "$(id -u)" != 0 ]; then
  as_user=()
fi
chmod -R a+rX "$scratch"
chmod a+rwX "$scratch/home" "$CALLS"
# shellcheck disable=SC2016
run "${as_user[@]}" env HOME="$scratch/home" MISSING=yes PATH="$scratch/bin:/usr/bin:/bin" \
  bash -c 'command () { [ "$2" != sudo ] && builtin command "$@"; }; export -f command; "$0" "$1"' \
  "$start" "$scratch/sound.wav"
expect 1 'apt-get install .*libgstreamer1.0-dev' err "no sudo"

# While packages are installed it says what comes, how large it is, and every so often how far it is. All that takes long does.
cat > "$scratch/bin/apt-get" << 'END'
#!/bin/sh
case "$*" in
  *--print-uris*)
    echo "0 upgraded, 57 newly installed, 0 to remove and 1 not upgraded."
    printf 'Need to get 95.3 MB of archives.\nAfter this operation, 410 MB of additional disk space will be used.\n' ;;
  *update*) sleep "$SLOW"; echo "dlstatus:1:40.0000:Retrieving file 2 of 5" >&2; sleep "$SLOW" ;;
  *Status-Fd=2*" install "*)
    printf 'dlstatus:9:12.5000:Retrieving file 9 of 57\n' >&2
    sleep "$SLOW"
    # As dpkg does, in the middle of a line.
    printf '(Reading database ... \r(Reading database ... 5%%' >&2
    printf 'pmstatus:libone:61.2500:Unpacking libone:amd64\n' >&2
    sleep "$SLOW"
    [ -z "$BROKEN" ] || { echo "E: libone is broken" >&2; exit 100; } ;;
  *) echo "unexpected: $*" >&2; exit 1 ;;
esac
END
printf '#!/bin/sh\nexec "$@"\n' > "$scratch/bin/sudo"
chmod +x "$scratch/bin/apt-get" "$scratch/bin/sudo"
sed -i 's/^progress_interval=10$/progress_interval=1/' "$scratch/tree/pipelines/packages.sh"
grep -q -x progress_interval=1 "$scratch/tree/pipelines/packages.sh"
run env MISSING=yes SLOW=2 BROKEN= "$start" "$scratch/sound.wav"
expect 0 'audio 0' out "with missing packages"
for said in 'Next: Debian packages that are missing are installed, and .* built in ' 'Installing gcc ' \
    'Debian packages: 57 with those that they need; 95.3 MB to download, 410 MB on the disk' \
    '^Updating the lists of packages: [1-9] s' '^Updating the lists of packages: 40 %, Retrieving file 2 of 5, [1-9] s' \
    '^Installing packages: 12 %, Retrieving file 9 of 57, [1-9] s' '^Installing packages: 61 %, Unpacking libone:amd64, [1-9] s'; do
  grep -q -e "$said" "$scratch/err" || fail "does not say: $said"
done
# The order is that in which it happens.
[ "$(grep -o -n -E '^(Next|Installing gcc|Updating|Debian packages|Installing packages|Building)' "$scratch/err" | cut -d : -f 2 \
  | uniq | paste -s -d ,)" = "Next,Installing gcc,Updating,Debian packages,Installing packages,Building" ] || fail "the order"
# On a terminal, one line moves each second and goes away.
if command -v script > /dev/null; then
  status=0
  MISSING=yes SLOW=2 BROKEN='' script -q -e -c "'$start' '$scratch/sound.wav' > '$scratch/out'" "$scratch/err" > /dev/null < /dev/null || status=$?
  expect 0 'audio 0' out "on a terminal"
  [ "$(tr '\r' '\n' < "$scratch/err" | grep -c 'Installing packages: .* [1-9] s$')" -ge 3 ] || fail "the line does not move"
  tr '\r' '\n' < "$scratch/err" | grep -A 1 'Installing packages: ' | tail -n 1 > "$scratch/last"
  grep -q '^.\[K.\?\(Building\|Configuring\|$\)' "$scratch/last" || fail "the line stays"
fi
run env MISSING=yes SLOW=0 BROKEN=yes "$start" "$scratch/sound.wav"
expect 100 'E: libone is broken' err "packages that cannot be installed"
if grep -q 'status:' "$scratch/err"; then fail "status lines of apt"; fi
rm "$scratch/bin/apt-get" "$scratch/bin/sudo"
[ -z "$(pgrep -g 0 -f "$scratch" || true)" ] || fail "a process is left"

# A checkout that cannot be written to: the build goes to the cache.
if [ ${#as_user[@]} -gt 0 ]; then
  rm -r "$scratch/tree/build"
  run "${as_user[@]}" env HOME="$scratch/home" GST_REGISTRY_1_0="$scratch/home/registry" \
    "$start" "$scratch/sound.wav"
  expect 0 'audio 0' out "a read-only checkout"
  grep -q "Configuring $scratch/home/.cache/cudahisto/build-" "$scratch/err" || fail "the cache"
  [ ! -e "$scratch/tree/build" ] || fail "the checkout was written to"
fi
echo "quickstart: all passed"
