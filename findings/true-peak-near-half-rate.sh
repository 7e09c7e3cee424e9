#!/bin/bash
# Debian 12, amd64: unpacks pinned packages into a temporary folder and runs them from there (apt-get update first).
set -euo pipefail
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
cd "$dir"
packages() { # PACKAGE=VERSION...: unpacks them, and all that they depend on but the C library, below root/
  local deb
  mkdir -p deb/partial root
  : > status
  apt-get -qq -y -o Dir::State::status="$dir/status" -o Dir::Cache::archives="$dir/deb" -o Debug::NoLocking=1 \
    -o APT::Install-Recommends=0 -o APT::Sandbox::User=root --download-only install "$@" > apt.log 2>&1 || { tail -n 3 apt.log; exit 2; }
  for deb in deb/*.deb; do dpkg -x "$deb" root; done
  rm -rf deb root/lib/x86_64-linux-gnu/{libc,libm,libdl,libpthread,librt,libresolv,ld-linux-x86-64}.so* root/lib64
  export PATH=$dir/root/usr/bin:$PATH GST_REGISTRY_1_0=$dir/registry
  export GST_PLUGIN_SYSTEM_PATH_1_0=$dir/root/usr/lib/x86_64-linux-gnu/gstreamer-1.0
  export GST_PLUGIN_SCANNER_1_0=$dir/root/usr/lib/x86_64-linux-gnu/gstreamer1.0/gstreamer-1.0/gst-plugin-scanner
  LD_LIBRARY_PATH=$(find root -name '*.so*' -printf "$dir/%h\n" | sort -u | grep -vE '/(gconv|gstreamer-1.0|engines-3|security|python3)' | paste -sd:)
  export LD_LIBRARY_PATH
}
same() { printf "%s\n" "$2"; [ "$1" = "$2" ] || { echo "CHANGED; expected:"; printf "%s\n" "$1"; exit 1; }; }
# True peak: the filter that BS.1770 prints as an example in its annex 2 (48 taps) reads tones near half the rate too low, 0.5 dB at
# 22 kHz of 48 kHz; FFmpeg's ebur128, which resamples to 192 kHz, reads them within 0.04 dB. Meters that follow the annex are right by
# the standard, and still differ from FFmpeg for bright sound.
packages ffmpeg=7:5.1.9-0+deb12u1 python3=3.11.2-1+b1
cat <<'SAID'
True peak of tones of -6.02 dBFS: the example filter of BS.1770's annex 2 reads 22 kHz of 48 kHz 0.5 dB too low, FFmpeg's ebur128 does not.
SAID
echo 'ffmpeg=7:5.1.9-0+deb12u1'
cat > annex.py <<'PYTHON'
import array, math, sys
# Phases 0 and 1 of the annex: its first and its last six taps; phases 2 and 3 are these in reverse.
OUTER = [14, 90, -161, 272, -487, 1125, 7964, -838, 390, -218, 122, -68]
INNER = [-239, 240, -424, 730, -1364, 3810, 6388, -1641, 832, -477, 271, -155]
samples = array.array("f", sys.stdin.buffer.read())
phases = [OUTER, INNER, INNER[::-1], OUTER[::-1]]
# Between the fades.
peak = max(abs(sum(tap / 8192 * samples[i - k] for k, tap in enumerate(taps)))
           for taps in phases for i in range(60000, 63000))
print(f"{20 * math.log10(peak):.2f}")
PYTHON
tone() { # HZ
  ffmpeg -nostdin -v error -y -f lavfi -i "aevalsrc=0.5*sin(2*PI*$1*t+0.3):s=48000:d=3" -af afade=d=1,afade=t=out:st=2:d=1 -c:a pcm_f32le tone.wav
  printf '%s Hz: annex %s, ebur128 %s\n' "$1" "$(ffmpeg -nostdin -v error -i tone.wav -f f32le - | python3 annex.py)" \
    "$(ffmpeg -nostdin -v error -i tone.wav -af 'ebur128=peak=true:metadata=1,ametadata=print:key=lavfi.r128.true_peaks_ch0:file=-' -f null - |
      sed -n 's/.*_ch0=//p' | tail -n 1 | python3 -c 'import math; print(f"{20 * math.log10(float(input())):.2f}")')"
}
same '997 Hz: annex -6.01, ebur128 -6.02
18000 Hz: annex -5.96, ebur128 -6.06
20000 Hz: annex -6.12, ebur128 -6.04
22000 Hz: annex -6.53, ebur128 -6.02' "$(for hz in 997 18000 20000 22000; do tone "$hz"; done)"
