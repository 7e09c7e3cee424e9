/* Properties of an element that are members of a struct of settings: rows say how each is installed, set and read.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef HISTO_PROPERTY_TABLE_H
#define HISTO_PROPERTY_TABLE_H

#include <gst/gst.h>

G_BEGIN_DECLS

/* The type of the member follows: gboolean, gint, guint, gint64, guint64, gdouble, gint and guint. */
typedef enum
{
  HISTO_PROPERTY_BOOLEAN,
  HISTO_PROPERTY_INT,
  HISTO_PROPERTY_UINT,
  HISTO_PROPERTY_INT64,
  HISTO_PROPERTY_UINT64,
  HISTO_PROPERTY_DOUBLE,
  HISTO_PROPERTY_ENUM,
  HISTO_PROPERTY_FLAGS
} HistoPropertyType;

typedef struct
{
  HistoPropertyType type;
  const gchar *name, *nick, *blurb;
  gsize offset;                 /* of the member */
  gdouble least, most;          /* of INT, UINT and DOUBLE; INT64 and UINT64 have no bounds */
  const gchar *type_name;       /* of ENUM and FLAGS */
  gconstpointer values;         /* of the same: GEnumValue or GFlagsValue, the last one without a name */
  GParamFlags flags;            /* beside those that all have */
} HistoProperty;

/* Registers the type of an ENUM or of FLAGS, too, so that it must be called once for each row.
 *
 * @settings: the defaults */
static inline GParamSpec *
histo_property_new_spec (const HistoProperty * p, gconstpointer settings)
{
  gconstpointer preset = G_STRUCT_MEMBER_P (settings, p->offset);
  const GParamFlags flags = G_PARAM_READWRITE | G_PARAM_STATIC_STRINGS | p->flags;
  GType type = 0;

  if (p->type == HISTO_PROPERTY_ENUM)
    type = g_enum_register_static (p->type_name, p->values);
  else if (p->type == HISTO_PROPERTY_FLAGS)
    type = g_flags_register_static (p->type_name, p->values);
  if (type != 0)
    gst_type_mark_as_plugin_api (type, 0);
  switch (p->type) {
    case HISTO_PROPERTY_BOOLEAN:
      return g_param_spec_boolean (p->name, p->nick, p->blurb, *(const gboolean *) preset, flags);
    case HISTO_PROPERTY_INT:
      return g_param_spec_int (p->name, p->nick, p->blurb, p->least, p->most, *(const gint *) preset, flags);
    case HISTO_PROPERTY_UINT:
      return g_param_spec_uint (p->name, p->nick, p->blurb, p->least, p->most, *(const guint *) preset, flags);
    case HISTO_PROPERTY_INT64:
      return g_param_spec_int64 (p->name, p->nick, p->blurb, G_MININT64, G_MAXINT64, *(const gint64 *) preset, flags);
    case HISTO_PROPERTY_UINT64:
      return g_param_spec_uint64 (p->name, p->nick, p->blurb, 0, G_MAXUINT64, *(const guint64 *) preset, flags);
    case HISTO_PROPERTY_DOUBLE:
      return g_param_spec_double (p->name, p->nick, p->blurb, p->least, p->most, *(const gdouble *) preset, flags);
    case HISTO_PROPERTY_ENUM:
      return g_param_spec_enum (p->name, p->nick, p->blurb, type, *(const gint *) preset, flags);
    case HISTO_PROPERTY_FLAGS:
      return g_param_spec_flags (p->name, p->nick, p->blurb, type, *(const guint *) preset, flags);
  }
  g_return_val_if_reached (NULL);
}

static inline void
histo_property_set (const HistoProperty * p, gpointer settings, const GValue * value)
{
  gpointer member = G_STRUCT_MEMBER_P (settings, p->offset);

  switch (p->type) {
    case HISTO_PROPERTY_BOOLEAN:
      *(gboolean *) member = g_value_get_boolean (value);
      break;
    case HISTO_PROPERTY_INT:
      *(gint *) member = g_value_get_int (value);
      break;
    case HISTO_PROPERTY_UINT:
      *(guint *) member = g_value_get_uint (value);
      break;
    case HISTO_PROPERTY_INT64:
      *(gint64 *) member = g_value_get_int64 (value);
      break;
    case HISTO_PROPERTY_UINT64:
      *(guint64 *) member = g_value_get_uint64 (value);
      break;
    case HISTO_PROPERTY_DOUBLE:
      *(gdouble *) member = g_value_get_double (value);
      break;
    case HISTO_PROPERTY_ENUM:
      *(gint *) member = g_value_get_enum (value);
      break;
    case HISTO_PROPERTY_FLAGS:
      *(guint *) member = g_value_get_flags (value);
      break;
  }
}

static inline void
histo_property_get (const HistoProperty * p, gconstpointer settings, GValue * value)
{
  gconstpointer member = G_STRUCT_MEMBER_P (settings, p->offset);

  switch (p->type) {
    case HISTO_PROPERTY_BOOLEAN:
      g_value_set_boolean (value, *(const gboolean *) member);
      break;
    case HISTO_PROPERTY_INT:
      g_value_set_int (value, *(const gint *) member);
      break;
    case HISTO_PROPERTY_UINT:
      g_value_set_uint (value, *(const guint *) member);
      break;
    case HISTO_PROPERTY_INT64:
      g_value_set_int64 (value, *(const gint64 *) member);
      break;
    case HISTO_PROPERTY_UINT64:
      g_value_set_uint64 (value, *(const guint64 *) member);
      break;
    case HISTO_PROPERTY_DOUBLE:
      g_value_set_double (value, *(const gdouble *) member);
      break;
    case HISTO_PROPERTY_ENUM:
      g_value_set_enum (value, *(const gint *) member);
      break;
    case HISTO_PROPERTY_FLAGS:
      g_value_set_flags (value, *(const guint *) member);
      break;
  }
}

G_END_DECLS

#endif /* HISTO_PROPERTY_TABLE_H */
