/* Names and values of fields, in the form that a GstStructure keeps them. For the files that
 * write structures.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef HISTO_WRITE_FIELDS_H
#define HISTO_WRITE_FIELDS_H

#include "config.h"

#include "cudahisto/fields.h"
#include "cudahisto/result.h"

G_BEGIN_DECLS

/* ---- Names ---------------------------------------------------------------------------- */

/* Looking names up by their text for each buffer would take longer than computing the figures.
 * GStreamer 1.26 brought functions that keep a static string, and later versions deprecate those
 * that take a quark. */
#ifdef HAVE_GST_STRUCTURE_STATIC_STR
typedef const gchar *FieldName;
#define FIELD_NAME(text) (text)
#define COMPONENT_NAME(component) ((component)->name)
#define new_structure gst_structure_new_static_str_empty
#define take_value gst_structure_take_value_static_str
#else
typedef GQuark FieldName;
#define FIELD_NAME(text) g_quark_from_static_string (text)
/* A result that was read has no quarks. */
#define COMPONENT_NAME(component) ((component)->quark != 0 ? \
    (component)->quark : g_quark_from_string ((component)->name))
#define new_structure gst_structure_new_id_empty
#define take_value gst_structure_id_take_value
#endif

/* The names of HISTO_RESULT_FIELDS. Constant after histo_write_fields_init(). */
extern FieldName histo_write_names[HISTO_N_FIELDS];
#define FIELD(identifier) histo_write_names[HISTO_FIELD_##identifier]

/* Most fields have one of these types: copying an initialised value is quicker than
 * initialising one. */
extern GValue histo_write_double, histo_write_uint64;

void histo_write_fields_init (void);

/* Of each figure what writing needs, in few bytes: at low frame rates the table of figures has
 * left the processor's caches. */
typedef struct
{
  FieldName name;
  guint16 offset;               /* of the member */
  guint8 type;                  /* HistoFigureType */
} HistoFigureField;

void histo_write_fields_of_figures (HistoFigureField * fields,
    const HistoFigureInfo * figures, guint n);

/* ---- Values --------------------------------------------------------------------------- */

/* The structure takes each value as it is; gst_structure_set() would copy it. */

static inline void
set_uint (GstStructure * structure, FieldName name, guint number)
{
  GValue value = G_VALUE_INIT;

  g_value_init (&value, G_TYPE_UINT);
  g_value_set_uint (&value, number);
  take_value (structure, name, &value);
}

static inline void
set_int (GstStructure * structure, FieldName name, gint number)
{
  GValue value = G_VALUE_INIT;

  g_value_init (&value, G_TYPE_INT);
  g_value_set_int (&value, number);
  take_value (structure, name, &value);
}

/* @text: static or interned; it is not copied */
static inline void
set_string (GstStructure * structure, FieldName name, const gchar * text)
{
  GValue value = G_VALUE_INIT;

  g_value_init (&value, G_TYPE_STRING);
  g_value_set_static_string (&value, text);
  take_value (structure, name, &value);
}

/* @text: (nullable): copied; NULL: the structure gets no such field */
static inline void
set_copied_string (GstStructure * structure, FieldName name,
    const gchar * text)
{
  GValue value = G_VALUE_INIT;

  if (text == NULL)
    return;
  g_value_init (&value, G_TYPE_STRING);
  g_value_set_string (&value, text);
  take_value (structure, name, &value);
}

/* @boxed: (transfer full) */
static inline void
set_boxed (GstStructure * structure, FieldName name, GType type,
    gpointer boxed)
{
  GValue value = G_VALUE_INIT;

  g_value_init (&value, type);
  g_value_take_boxed (&value, boxed);
  take_value (structure, name, &value);
}

static inline void
set_double (GstStructure * structure, FieldName name, gdouble number)
{
  GValue value = histo_write_double;

  g_value_set_double (&value, number);
  take_value (structure, name, &value);
}

static inline void
set_uint64 (GstStructure * structure, FieldName name, guint64 number)
{
  GValue value = histo_write_uint64;

  g_value_set_uint64 (&value, number);
  take_value (structure, name, &value);
}

/* @figures: the struct that has the field's member */
static inline void
set_figure (GstStructure * structure, const HistoFigureField * field,
    gconstpointer figures)
{
  gconstpointer member = G_STRUCT_MEMBER_P (figures, field->offset);

  switch ((HistoFigureType) field->type) {
    case HISTO_FIGURE_UINT64:
      set_uint64 (structure, field->name, *(const guint64 *) member);
      break;
    case HISTO_FIGURE_UINT:
      set_uint (structure, field->name, *(const guint *) member);
      break;
    case HISTO_FIGURE_DOUBLE:
      set_double (structure, field->name, *(const gdouble *) member);
      break;
  }
}

G_END_DECLS

#endif /* HISTO_WRITE_FIELDS_H */
