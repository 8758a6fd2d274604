import { z } from "zod";
import { countSchema as count, pageSchema } from "./value_schemas.ts";
import { KNOWLEDGE_LANGUAGES } from "./knowledge_languages.ts";
import { KNOWLEDGE_BOUNDS } from "./limits.ts";
import { DOCUMENT_TYPES, UNKNOWN_TYPE } from "./media_types.ts";
import { plainText } from "./plain_text.ts";

const name = plainText(z.string().min(1).max(KNOWLEDGE_BOUNDS.nameLength));
const description = plainText(z.string().max(KNOWLEDGE_BOUNDS.descriptionLength));

export const knowledgeLanguageSchema = z.enum(KNOWLEDGE_LANGUAGES);
const language = knowledgeLanguageSchema.describe(
  "The language of most documents (ISO 639-1). Used for texts that are too short to detect their " +
    "language; by default the language of most of the base.",
);

/** Body of `POST /v1/knowledge-bases`. */
export const knowledgeBaseBodySchema = z.strictObject({
  name,
  description: description.optional(),
  language: language.optional(),
});
export type KnowledgeBaseBody = z.infer<typeof knowledgeBaseBodySchema>;

/** Body of `PATCH /v1/knowledge-bases/:id`. */
export const knowledgeBasePatchSchema = z.strictObject({
  name: name.optional(),
  description: description.optional().describe("An empty one removes it."),
  language: language.nullable().optional().describe("`null` removes it."),
});
export type KnowledgeBasePatch = z.infer<typeof knowledgeBasePatchSchema>;

export const knowledgeBaseSchema = z.object({
  id: z.uuid().describe("The value of an agent's `knowledgeBaseId`."),
  name: z.string(),
  description: z.string().optional(),
  language: language.optional(),
  documentCount: count.describe("Documents in any state."),
  chunkCount: count.describe("Searchable passages."),
  version: count.positive().describe(
    "For `If-Match`; grows with each change of the base itself, not with those of its documents.",
  ),
  createdAt: z.iso.datetime(),
  updatedAt: z.iso.datetime().describe("When it or one of its documents last changed."),
});
export type KnowledgeBase = z.infer<typeof knowledgeBaseSchema>;

export const knowledgeBasePageSchema = pageSchema(knowledgeBaseSchema, "Newest first.");

/** JSON body of `POST /v1/knowledge-bases/:id/documents`. */
export const documentBodySchema = z.strictObject({
  title: plainText(z.string().min(1).max(KNOWLEDGE_BOUNDS.titleLength)),
  content: plainText(z.string().min(1)),
  mediaType: z.enum(["text/plain", "text/markdown", "text/html", "text/csv"]).optional()
    .describe("A hint; the type is detected from the content."),
});

/** Form of `POST /v1/knowledge-bases/:id/documents`. */
export const documentFormSchema = z.object({
  file: z.string().meta({
    description:
      "A PDF, DOCX, XLSX, PPTX, ODT, EPUB, CSV, HTML, Markdown or text file of at most 20 MiB.",
    contentMediaType: "application/octet-stream",
  }),
  title: z.string().max(KNOWLEDGE_BOUNDS.titleLength).optional()
    .describe("By default the name of the file."),
});

export const documentSchema = z.object({
  id: z.uuid(),
  title: z.string(),
  mediaType: z.enum([...DOCUMENT_TYPES, UNKNOWN_TYPE])
    .describe("The detected type."),
  bytes: count.describe("Size of the upload."),
  sha256: z.string().optional()
    .describe("Of the upload, in hexadecimal; absent for documents of early releases."),
  state: z.enum(["processing", "ready", "failed"])
    .describe("Only `ready` documents can be searched."),
  error: z.object({ code: z.string(), message: z.string() }).optional()
    .describe("Why processing failed."),
  url: z.string().optional().describe("The web page that it was read from."),
  sourceId: z.uuid().optional().describe("The website source that found the page."),
  createdAt: z.iso.datetime(),
  updatedAt: z.iso.datetime(),
});
export type Document = z.infer<typeof documentSchema>;

export const documentPageSchema = pageSchema(documentSchema, "Newest first.");

/** Body of `POST /v1/knowledge-bases/:id/search`. */
export const searchBodySchema = z.strictObject({
  query: plainText(z.string().min(1).max(KNOWLEDGE_BOUNDS.queryLength)),
  limit: z.int().min(1).max(KNOWLEDGE_BOUNDS.maxPassages).optional()
    .describe(`Maximum passages; ${KNOWLEDGE_BOUNDS.defaultPassages} by default.`),
});

export const passageSchema = z.object({
  documentId: z.uuid(),
  title: z.string().describe("The document's title."),
  url: z.string().optional().describe("The web page that it was read from."),
  headingPath: z.array(z.string()).describe("The headings above it, outermost first."),
  position: count.describe("Index in the document, from 0."),
  text: z.string(),
  score: z.number().describe("Higher is better; only the order is meaningful."),
});
export type Passage = z.infer<typeof passageSchema>;

export const passagesSchema = z.object({
  passages: z.array(passageSchema).describe("Best match first."),
});

/** By their names in the API document. */
export const KNOWLEDGE_SCHEMAS = {
  KnowledgeBase: knowledgeBaseSchema,
  KnowledgeBaseBody: knowledgeBaseBodySchema,
  KnowledgeBasePatch: knowledgeBasePatchSchema,
  KnowledgeBasePage: knowledgeBasePageSchema,
  Document: documentSchema,
  DocumentBody: documentBodySchema,
  DocumentForm: documentFormSchema,
  DocumentPage: documentPageSchema,
  SearchBody: searchBodySchema,
  Passage: passageSchema,
  FoundPassages: passagesSchema,
};
