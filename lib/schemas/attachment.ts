import { z } from "zod";
import { countSchema as count } from "./value_schemas.ts";

export const IMAGE_TYPES = ["image/png", "image/jpeg", "image/webp", "image/gif"] as const;
export type ImageType = typeof IMAGE_TYPES[number];

export const FILE_TYPES = [
  "application/pdf",
  "text/plain",
  "text/markdown",
  "text/csv",
] as const;
export type FileType = typeof FILE_TYPES[number];

export const ATTACHMENT_TYPES = [...IMAGE_TYPES, ...FILE_TYPES] as const;
export type AttachmentType = typeof ATTACHMENT_TYPES[number];

export const ATTACHMENT_KINDS = ["image", "document"] as const;
export type AttachmentKind = typeof ATTACHMENT_KINDS[number];

const id = z.uuid();
const name = z.string().optional().describe("The file's name; absent if it cannot be decrypted.");

/** An attachment of a message, as conversations show it. */
export const messageAttachmentSchema = z.object({
  id,
  kind: z.enum(ATTACHMENT_KINDS),
  mediaType: z.enum(ATTACHMENT_TYPES),
  bytes: count.describe("Size of the stored file."),
  name,
});
export type MessageAttachment = z.infer<typeof messageAttachmentSchema>;

/** Answer of `POST /v1/chat/attachments`. */
export const attachmentSchema = z.object({
  id: id.describe("For the `attachments` of a message."),
  kind: z.enum(ATTACHMENT_KINDS),
  mediaType: z.enum(ATTACHMENT_TYPES).describe("The type by the file's content."),
  bytes: count.describe("Size of the stored file: an image is stored without its metadata."),
  name: z.string().describe("The file's name; by its type if it was sent without one."),
  expiresAt: z.iso.datetime().describe("When it is deleted, unless a message uses it before."),
});
export type Attachment = z.infer<typeof attachmentSchema>;

/** Form of `POST /v1/chat/attachments`. */
export const attachmentFormSchema = z.object({
  file: z.string().meta({
    description: "An image (PNG, JPEG, WebP, GIF), PDF or text file of at most 10 MiB.",
    contentMediaType: "application/octet-stream",
  }),
});
