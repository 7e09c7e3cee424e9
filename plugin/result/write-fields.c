/* Names and values of fields; see write-fields.h.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "result/write-fields.h"

FieldName histo_write_names[HISTO_N_FIELDS];
GValue histo_write_double, histo_write_uint64;

/* Makes the names known. To be called once, before all else here. */
void
histo_write_fields_init (void)
{
#define NAME(identifier, name) \
  histo_write_names[HISTO_FIELD_##identifier] = FIELD_NAME (name);
  HISTO_RESULT_FIELDS (NAME)
#undef NAME
  if (!G_IS_VALUE (&histo_write_double)) {
    g_value_init (&histo_write_double, G_TYPE_DOUBLE);
    g_value_init (&histo_write_uint64, G_TYPE_UINT64);
  }
}

/* @fields: (out) (array length=n)
 * @figures: (array length=n): their offsets fit in 16 bits */
void
histo_write_fields_of_figures (HistoFigureField * fields,
    const HistoFigureInfo * figures, guint n)
{
  for (guint i = 0; i < n; i++) {
    fields[i].name = FIELD_NAME (figures[i].name);
    fields[i].offset = figures[i].offset;
    fields[i].type = figures[i].type;
  }
}
