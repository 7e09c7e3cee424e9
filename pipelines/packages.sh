# The Debian packages that this project needs, functions that install them, and the folder to build in. Scripts
# that build, run or test source this file. The names of the packages are only here.
#
# SPDX-License-Identifier: LGPL-2.1-or-later
# shellcheck shell=bash disable=SC2034

# Needed to build, and to run pipelines on files.
packages_to_run=(
  gcc libc6-dev meson ninja-build pkgconf
  libgstreamer1.0-dev libgstreamer-plugins-base1.0-dev libebur128-dev
  libjson-glib-dev # cudahisto-report writes and reads JSON
  libavformat-dev libavcodec-dev # what files say of themselves, every sample of sound, and images
  libjpeg62-turbo-dev # images that are JPEG
  libsoup-3.0-dev # the pages of cudahisto-report --serve
  libxml2-dev zlib1g-dev # reports for QCTools, and what pages hold
  libjs-dygraphs libglib2.0-dev-bin # the charts of pages, which the program has inside
  gstreamer1.0-tools gstreamer1.0-plugins-base gstreamer1.0-plugins-good
  gstreamer1.0-plugins-bad gstreamer1.0-libav
  gstreamer1.0-x # windows
  python3 python3-gi python3-gst-1.0
  gir1.2-gstreamer-1.0 gir1.2-gst-plugins-base-1.0
  libcairo2-dev fonts-dejavu-core # the element cudahistooverlay, and a font for its text
)
# Also needed to build the CUDA engine and its tests. nvcc itself is not a package here. libgstreamer-plugins-bad1.0-dev also
# has gstreamer-analytics-1.0 (GStreamer 1.24), but it brings OpenCV's -dev packages, too large to be among those above.
packages_for_cuda=(g++ libgstreamer-plugins-bad1.0-dev)
# Also needed to run all tests.
packages_to_test=(
  abigail-tools # compares the library's binary interface with the one that is stored: 5 MB
  gobject-introspection libgirepository1.0-dev valac lua-lgi lua5.3 # the library in other languages: 30 MB
  binutils clang ffmpeg g++ jq python3-numpy shellcheck
  alsa-utils sound-theme-freedesktop # recordings that tests/peers and tests/report measure
  mate-backgrounds # photographs that tests/report pans
  python3-prometheus-client # pipelines/examples/prometheus-exporter.py
  chromium # a test looks at the pages of cudahisto-report
  python3-jsonschema # checks the JSON of cudahisto-report
  python3-pil # decodes JPEG, and writes EXIF
  python3-junitparser # reads the verdicts that it writes for JUnit
  libclang-rt-dev # clang's sanitizers
  slurmctld slurmd slurm-client munge parallel # cudahisto-report on many machines
  locales # another language changes no report
  bash-completion man-db # tests/install tries the completion and the manual page
  ccache # tests/run.sh builds the same files twice
  gcovr valgrind # tests/run.sh --coverage, --long
  bison dpkg-dev flex # tests/tsan.sh builds GStreamer
  spin # checks the model of the queue, tests/model
)
# Also needed to build Debian packages (pipelines/package.sh).
packages_to_package=(build-essential debhelper dh-python dpkg-dev gobject-introspection libgirepository1.0-dev valac)
# Also needed to test them (tests/packages.sh).
packages_to_test_packages=(lintian debootstrap debian-archive-keyring)
# A film clip with sound: its package, and its path in the package. The other films, which
# tests/peers measures, lie in the same folder.
package_of_clip=opencv-doc
file_of_clip=usr/share/doc/opencv-doc/examples/data/Megamind.avi
other_films=(tree.avi vtest.avi)

# Debian's own Python, because it finds Debian's modules. Another Python may be first on PATH.
python=/usr/bin/python3
[ -x "$python" ] || python=python3

as_root () {
  if [ "$(id -u)" = 0 ]; then "$@"; else sudo "$@"; fi
}

# choose_build ROOT: prints the folder in which the project in ROOT is built.
choose_build () {
  local root=$1
  if [ -w "$root/build" ] || { [ ! -e "$root/build" ] && [ -w "$root" ]; }; then
    echo "$root/build"
  else
    echo "${XDG_CACHE_HOME:-${HOME:?}/.cache}/cudahisto/build-$(printf %s "$root" | sha256sum | cut -c 1-16)"
  fi
}

# quietly COMMAND...: runs the command. Prints its output only if it fails.
quietly () {
  local log status=0
  log=$(mktemp)
  "$@" > "$log" 2>&1 < /dev/null || status=$?
  [ $status = 0 ] || cat "$log" >&2
  rm -f "$log"
  return $status
}

# Without a terminal, something is said at least so often, in seconds.
progress_interval=10

# tell_progress WHAT LOG: says each second on a terminal, in one line, and else in a line each progress_interval seconds, how far a
# command is that writes to LOG: by the status lines of apt (APT::Status-Fd), or ninja's [1/9]. Runs until it is killed, or until the
# script has ended.
tell_progress () {
  local what=$1 log=$2 start=$SECONDS said=$SECONDS line share detail never
  # A second without a process, which would live longer than this one: reads from a pipe that nobody writes to.
  exec {never}<> <(:)
  while ! read -r -t 1 -u "$never" && kill -0 $$ 2> /dev/null; do
    [ -t 2 ] || [ $((SECONDS - said)) -ge "$progress_interval" ] || continue
    said=$SECONDS
    # A status may come behind the begin of another line.
    line=$(tail -c 4096 "$log" 2> /dev/null | tr '\r' '\n' | grep -o -E '(dlstatus|pmstatus):[^:]*:[0-9.]+:.*|^\[[0-9]+/[0-9]+\]' | tail -n 1)
    case $line in
      ??status:*)
        IFS=: read -r _ _ share detail <<< "$line"
        line=" ${share%%.*} %, $detail"
        ;;
      ?*) line=" ${line//[][]/}" ;;
    esac
    line="$what:${line:+$line,} $((SECONDS - start)) s"
    if [ -t 2 ]; then
      # What does not fit into the line would not go away.
      printf '\r\e[K%s' "${line:0:$(($(tput cols 2> /dev/null || echo 80) - 1))}" >&2
    else
      printf '%s\n' "$line" >&2
    fi
  done
}

# with_progress WHAT COMMAND...: as quietly, and says that the command goes on, and how far it is.
with_progress () {
  local what=$1 log status=0 teller
  shift
  log=$(mktemp)
  tell_progress "$what" "$log" > /dev/null &
  teller=$!
  # In the foreground, so that Ctrl-C reaches it.
  "$@" > "$log" 2>&1 < /dev/null || status=$?
  kill "$teller" 2> /dev/null || true
  wait "$teller" 2> /dev/null || true
  [ ! -t 2 ] || printf '\r\e[K' >&2
  [ $status = 0 ] || sed -E '/^(dl|pm)status:/d; s/(dl|pm)status:[^:]*:[0-9.]+:.*//' "$log" >&2
  rm -f "$log"
  return $status
}

is_installed () {
  [ "$(dpkg-query -W -f '${db:Status-Status}' "$1" 2> /dev/null)" = installed ]
}

# tell_download PACKAGE...: says what apt-get will install, how large the download is, and how much room it takes.
tell_download () {
  local plan number
  plan=$(LC_ALL=C apt-get install -q -y --no-install-recommends --print-uris "$@" 2> /dev/null) || return 0
  number=$(sed -n -E 's/^[0-9]+ upgraded, ([0-9]+) newly installed.*/\1/p' <<< "$plan")
  echo "Debian packages: ${number:-?} with those that they need; $(sed -n -E \
    -e 's/^Need to get ([^ ]+ [^ ]+) of archives.*/\1 to download/p' \
    -e 's/^After this operation, ([^ ]+ [^ ]+) of additional disk space.*/\1 on the disk/p' <<< "$plan" | paste -s -d , | sed 's/,/, /')" >&2
}

# install_missing PACKAGE...: installs the missing packages with apt-get. Sudo may ask for the password.
install_missing () {
  local package missing=()
  if ! command -v apt-get > /dev/null; then
    echo "There is no apt-get. These Debian packages must already be installed: $*" >&2
    return 0
  fi
  for package; do
    is_installed "$package" || missing+=("$package")
  done
  [ ${#missing[@]} -gt 0 ] || return 0
  if [ "$(id -u)" != 0 ] && ! command -v sudo > /dev/null; then
    echo "These Debian packages are missing, and there is no sudo. As root, run:" >&2
    echo "  apt-get install ${missing[*]}" >&2
    return 1
  fi
  echo "Installing ${missing[*]}" >&2
  as_root true
  # If the package lists cannot be updated, the lists on the machine may be good enough.
  with_progress "Updating the lists of packages" as_root apt-get -o APT::Status-Fd=2 update -q || true
  tell_download "${missing[@]}"
  with_progress "Installing packages" as_root env DEBIAN_FRONTEND=noninteractive \
    apt-get -o APT::Status-Fd=2 install -q -y --no-install-recommends "${missing[@]}"
}

# find_clip DIRECTORY: prints the path of the clip. If the package is not installed, the clip and
# the other films are extracted from the package to DIRECTORY. Fails if they cannot be downloaded.
find_clip () {
  local directory=$1
  if [ -r "/$file_of_clip" ]; then
    echo "/$file_of_clip"
    return 0
  fi
  if [ ! -r "$directory/${file_of_clip##*/}" ] || [ ! -r "$directory/${other_films[-1]}" ]; then
    echo "Downloading a film clip from the package $package_of_clip" >&2
    mkdir -p "$directory"
    (
      cd "$directory" || exit
      rm -f "$package_of_clip"_*.deb
      with_progress "Downloading the clip" \
        apt-get -o Acquire::http::Timeout=30 -o APT::Status-Fd=2 download -q "$package_of_clip" 2>&3 || exit
      mkdir -p partial
      dpkg-deb --fsys-tarfile "$package_of_clip"_*.deb | tar -x -C partial --transform='s:.*/::' \
        "./$file_of_clip" "${other_films[@]/#/./${file_of_clip%/*}/}" || exit
      rm -f "$package_of_clip"_*.deb
      mv partial/*.avi .
    ) 3>&2 > /dev/null 2>&1 < /dev/null || [ -r "$directory/${file_of_clip##*/}" ] || return 1
  fi
  echo "$directory/${file_of_clip##*/}"
}
