#!/bin/bash
# Installs the library for programs into an empty folder, compiles a C program with nothing but the
# flags of its pkg-config file, as C and as C++, and runs it.
#
#   tests/library/installed.sh BUILD_DIR
#
# SPDX-License-Identifier: LGPL-2.1-or-later
set -euo pipefail

build=$(realpath "${1:?usage: tests/library/installed.sh BUILD_DIR}")
program=$(dirname "$(realpath "$0")")/installed.c
for tool in meson pkg-config cc; do
  if ! command -v $tool > /dev/null; then
    echo "Skipped: there is no $tool"
    exit 77
  fi
done
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT

meson install -C "$build" --no-rebuild --quiet --destdir "$scratch/root" --tags devel,runtime
file=$(find "$scratch/root" -name cudahisto-1.0.pc)
prefix=$(sed -n 's/^prefix=//p' "$file")
root=$scratch/root$prefix
sed -i "s|^prefix=.*|prefix=$root|" "$file"
read -ra flags <<< "$(PKG_CONFIG_PATH=${file%/*} pkg-config --cflags --libs cudahisto-1.0)"

# A folder of its own, so that no path leads to the sources of the project.
cp "$program" "$scratch/program.c"
cd "$scratch"
cc -std=c11 -Wall -Wextra -Wno-unused-parameter -Werror -o program program.c "${flags[@]}"
./program
# The PTS of a film with B-frames does not begin with 0; its stream time does.
if command -v ffmpeg > /dev/null && gst-inspect-1.0 --exists avdec_h264; then
  ffmpeg -nostdin -v error -f lavfi -i testsrc2=s=64x48:r=25:d=0.4 -c:v libx264 -bf 2 -pix_fmt yuv420p film.mp4
  ./program film.mp4
else
  echo "Without ffmpeg or avdec_h264 there is no film"
fi
# Whatever function a program uses: all that the library needs is among the flags.
cc -o whole program.c -Wl,--whole-archive "${file%/pkgconfig/*}/libcudahisto-1.0.a" -Wl,--no-whole-archive "${flags[@]}"
if command -v c++ > /dev/null; then
  echo '#include <cudahisto/cudahisto.h>' > header.cc
  c++ -std=c++17 -Wall -Wextra -Werror -fsyntax-only header.cc "${flags[@]}"
fi
# It says that it is deprecated, and can be told not to.
echo '#include <cudahisto/cudahisto.h>' > header.c
cc -std=c11 -Werror -fsyntax-only header.c "${flags[@]}" 2> said
grep -q 'is deprecated: use <cudahisto.h>' said
[ -z "$(cc -std=c11 -DCUDAHISTO_DISABLE_DEPRECATION_WARNINGS -fsyntax-only header.c "${flags[@]}" 2>&1)" ]
# Each header can be included alone.
for header in "$root"/include/cudahisto-1.0/cudahisto/*.h; do
  echo "#include <cudahisto/${header##*/}>" > header.c
  cc -std=c11 -Wall -Wextra -Werror -fsyntax-only header.c "${flags[@]}"
done
