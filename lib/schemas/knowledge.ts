import { z } from "zod";
import { KNOWLEDGE_LANGUAGES } from "./knowledge_languages.ts";
import { KNOWLEDGE_BOUNDS } from "./limits.ts";
import { DOCUMENT_TYPES, UNKNOWN_TYPE } from "./media_types.ts";
import { plainText } from "./plain_text.ts";

const count = z.int().nonnegative();
const nextCursor = z.string().optional().describe(
  "For `cursor` of the next page; absent on the last.",
);
const name = plainText(z.string().min(1).max(KNOWLEDGE_BOUNDS.nameLength));
const description = plainText(z.string().max(KNOWLEDGE_BOUNDS.descriptionLength));

export const knowledgeLanguageSchema = z.enum(KNOWLEDGE_LANGUAGES);
const language = knowledgeLanguageSchema.describe(
  "What most of the documents are written in (ISO 639-1). Search reads a text that is too short to " +
    "tell its language in this one; without it, in the language that most of the base is in.",
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
  id: z.uuid().describe("What an agent's `knowledgeBaseId` names."),
  name: z.string(),
  description: z.string().optional(),
  language: language.optional(),
  documentCount: count.describe("Documents in any state."),
  chunkCount: count.describe("Passages that can be found."),
  createdAt: z.iso.datetime(),
  updatedAt: z.iso.datetime().describe("When it, or a document of it, last changed."),
});
export type KnowledgeBase = z.infer<typeof knowledgeBaseSchema>;

/** One page of `GET /v1/knowledge-bases`. */
export const knowledgeBasePageSchema = z.object({
  data: z.array(knowledgeBaseSchema).describe("Newest first."),
  nextCursor,
});

/** JSON body of `POST /v1/knowledge-bases/:id/documents`. */
export const documentBodySchema = z.strictObject({
  title: plainText(z.string().min(1).max(KNOWLEDGE_BOUNDS.titleLength)),
  content: plainText(z.string().min(1)),
  mediaType: z.enum(["text/plain", "text/markdown", "text/html"]).optional().describe(
    "What the content is meant to be; the content itself decides.",
  ),
});

/** Form of `POST /v1/knowledge-bases/:id/documents`. */
export const documentFormSchema = z.object({
  file: z.string().meta({
    description: "A PDF, HTML, Markdown or text file of at most 20 MiB.",
    contentMediaType: "application/octet-stream",
  }),
  title: z.string().max(KNOWLEDGE_BOUNDS.titleLength).optional().describe(
    "The file's name unless told.",
  ),
});

export const DOCUMENT_STATES = ["processing", "ready", "failed"] as const;

export const documentSchema = z.object({
  id: z.uuid(),
  title: z.string(),
  mediaType: z.enum([...DOCUMENT_TYPES, UNKNOWN_TYPE]).describe(
    "What it is read as, whatever it was sent as.",
  ),
  bytes: count.describe("Size of what was sent."),
  state: z.enum(DOCUMENT_STATES).describe("Only a `ready` document is found."),
  error: z.object({ code: z.string(), message: z.string() }).optional().describe(
    "Why it failed, in words for people.",
  ),
  createdAt: z.iso.datetime(),
  updatedAt: z.iso.datetime(),
});
export type Document = z.infer<typeof documentSchema>;

/** One page of `GET /v1/knowledge-bases/:id/documents`. */
export const documentPageSchema = z.object({
  data: z.array(documentSchema).describe("Newest first."),
  nextCursor,
});

/** Body of `POST /v1/knowledge-bases/:id/search`. */
export const searchBodySchema = z.strictObject({
  query: plainText(z.string().min(1).max(KNOWLEDGE_BOUNDS.queryLength)),
  limit: z.int().min(1).max(KNOWLEDGE_BOUNDS.maxPassages).optional().describe(
    `Passages at most; ${KNOWLEDGE_BOUNDS.defaultPassages} unless told.`,
  ),
});

export const passageSchema = z.object({
  documentId: z.uuid(),
  title: z.string().describe("Of the document."),
  headingPath: z.array(z.string()).describe("The headings it stands under, outermost first."),
  position: count.describe("Which passage of the document, from 0."),
  text: z.string(),
  score: z.number().describe("Higher is better; only the order means anything."),
});
export type Passage = z.infer<typeof passageSchema>;

/** Answer of a search. */
export const passagesSchema = z.object({
  passages: z.array(passageSchema).describe("Best first."),
});
