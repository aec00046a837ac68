#!/bin/sh
# gb18030_table.sh FILE: writes C++ that holds the bytes of GB18030 for each character from U+0080
# to U+FFFD, as the machine that builds knows them: a static program has no iconv of its own.
set -eu
exec > "$1"
export LC_ALL=C
echo '#include <array>'
echo '#include <cstdint>'
echo 'namespace mstune {'
echo 'extern const std::array<std::uint32_t, 65406> kGb18030;'
echo 'const std::array<std::uint32_t, 65406> kGb18030{'
# Surrogates are no characters, and private ones (to U+F8FF) nobody's. Line ends keep them apart.
awk 'BEGIN {
  for (point = 128; point < 65534; ++point)
    if (point < 55296 || point > 63743)
      printf "%c%c%c%c%c%c%c%c", 0, 0, int(point / 256), point % 256, 0, 0, 0, 10
}' | iconv -f UTF-32BE -t GB18030 | od -An -v -tx1 -w1 | awk '
  { byte = $1 }
  byte != "0a" { bytes = bytes byte; next }
  {
    print "0x" bytes ","
    bytes = ""
    if (++count == 55296 - 128)
      for (; count < 63744 - 128; ++count) print "0,"
  }
  END { exit count == 65406 ? 0 : 1 }'
echo '};'
echo '}  // namespace mstune'
