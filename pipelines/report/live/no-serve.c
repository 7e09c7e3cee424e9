/* A program that was built without libsoup serves nothing; see serve.h.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "live/serve.h"

#include "base/names.h"

gboolean
report_serve_run (const ReportServeOptions * options, const ReportSettings * settings, gchar ** inputs, GError ** error)
{
  return report_fail (error, "--serve: this program was built without libsoup, which it needs for that (libsoup-3.0-dev, and "
      "meson setup -Dserve=enabled)");
}
