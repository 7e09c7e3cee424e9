/* The files of a set of images: those of folders, lists and sequences.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef REPORT_IMAGE_LIST_H
#define REPORT_IMAGE_LIST_H

#include <glib.h>

G_BEGIN_DECLS

typedef struct
{
  gboolean is_named;            /* by the user or in a list: it is an image, whatever it contains */
  gchar path[];
} ReportImageFile;

/* Something that is wrong with a set. */
typedef struct
{
  const gchar *type;            /* "unreadable", "missing", "interrupted", as of other inputs */
  gchar *path;                  /* of an image or a folder, in the encoding of file names; NULL: of none */
  gchar *text;
} ReportImageProblem;

typedef struct
{
  GPtrArray *files;             /* (element-type ReportImageFile) */
  GPtrArray *problems;          /* (element-type ReportImageProblem): what could not be searched */
} ReportImageList;

ReportImageProblem *report_image_problem_new (const gchar * type,
    const gchar * path, const gchar * text);
void report_image_problem_free (gpointer problem);
gboolean report_image_list_is_image (const gchar * path);
void report_image_list_find (ReportImageList * list, gchar ** names);
void report_image_list_clear (ReportImageList * list);

G_END_DECLS

#endif /* REPORT_IMAGE_LIST_H */
