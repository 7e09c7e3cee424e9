/* Prints the table of the program's options: a line with the name of each, also of a hidden one, and what its argument is.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "options.h"

#include <stdio.h>

static const gchar *const arguments[] = {
  [REPORT_ARGUMENT_NONE] = "none",
  [REPORT_ARGUMENT_NUMBER] = "number",
  [REPORT_ARGUMENT_LARGE_NUMBER] = "number",
  [REPORT_ARGUMENT_TEXT] = "text",
  [REPORT_ARGUMENT_TEXTS] = "text",
  [REPORT_ARGUMENT_INPUTS] = "inputs",
  [REPORT_ARGUMENT_READ_FILES] = "read",
  [REPORT_ARGUMENT_FILE] = "file",
  [REPORT_ARGUMENT_FILE_OR_FOLDER] = "file-or-folder",
  [REPORT_ARGUMENT_RESULTS] = "results",
};

static void
print (const gchar * name, ReportArgument argument)
{
  /* One that has no name here is not tested. */
  g_assert (argument < G_N_ELEMENTS (arguments) && arguments[argument] != NULL);
  printf ("--%s %s\n", name, arguments[argument]);
}

int
main (void)
{
  report_options_list (print);
  return 0;
}
