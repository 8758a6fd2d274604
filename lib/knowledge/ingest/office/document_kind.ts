import type { DocumentType } from "../../../schemas/media_types.ts";
import { DocumentParseError } from "../document_parse_error.ts";
import { Archive } from "./open_archive.ts";

const OFFICE = "application/vnd.openxmlformats-officedocument";

/** Documents that are ZIP archives, by the entry that only they have. */
const BY_ENTRY: readonly [entry: RegExp, type: DocumentType][] = [
  [/^word\/document\d*\.xml$/, `${OFFICE}.wordprocessingml.document`],
  [/^xl\/workbook\.xml$/, `${OFFICE}.spreadsheetml.sheet`],
  [/^ppt\/presentation\.xml$/, `${OFFICE}.presentationml.presentation`],
];

const ODT = "application/vnd.oasis.opendocument.text";

/** By what their entry `mimetype` says. */
const BY_MIMETYPE: Readonly<Record<string, DocumentType>> = {
  [ODT]: ODT,
  [`${ODT}-template`]: ODT,
  "application/epub+zip": "application/epub+zip",
};
const MAX_MIMETYPE_BYTES = 1_000;

/** The kind of document that a ZIP archive is; `undefined` for any other archive. */
export function archivedDocumentType(bytes: Uint8Array): DocumentType | undefined {
  try {
    const archive = new Archive(bytes);
    const names = [...archive.names];
    const office = BY_ENTRY.find(([entry]) => names.some((name) => entry.test(name)));
    if (office !== undefined) return office[1];
    const declared = archive.read("mimetype", { maxBytes: MAX_MIMETYPE_BYTES });
    return BY_MIMETYPE[new TextDecoder().decode(declared).trim()];
  } catch (error) {
    if (error instanceof DocumentParseError) return undefined;
    throw error;
  }
}
