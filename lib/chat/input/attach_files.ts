import { type ContextWindow, maxPromptBytes, messageBytes } from "../../agent/context_window.ts";
import type { ModelImage, ModelMessage } from "../../providers/model.ts";
import {
  type ImageFacts,
  imageRejection,
  MAX_REQUEST_IMAGE_BYTES,
  MAX_REQUEST_IMAGES,
  maxImageTokens,
} from "../../providers/image_rules.ts";
import type { Agent } from "../../schemas/agent.ts";
import { validationError } from "../../schemas/api_error.ts";
import type { ImageType } from "../../schemas/attachment.ts";
import type { ChatMessage } from "../../schemas/chat.ts";
import type { Protocol } from "../../schemas/connection_config.ts";
import type { CatalogueEntry } from "../../store/providers/catalogue_store.ts";
import { documentPart, fitDocuments, unavailablePart } from "./document_part.ts";
import type { AttachmentsByMessage, LoadedAttachment } from "./load_attachments.ts";

/** A model that may answer, with the protocol of its provider; the demo model has none. */
export type ImageReader = CatalogueEntry & { protocol: Protocol | undefined };

interface AttachOptions {
  messages: readonly ChatMessage[];
  loaded: AttachmentsByMessage;
  agent: Pick<Agent, "attachments">;
  /** In the order in which they are tried. */
  readers: readonly ImageReader[];
  contextWindow: ContextWindow;
  /** Bytes of prompt and tools. */
  otherBytes: number;
}

/** What a model gets. */
export interface AttachedFiles {
  messages: ModelMessage[];
  /** The models that can read every image of the messages, the first of the `readers` among them. */
  models: ImageReader[];
}

/**
 * The messages as a model reads them: documents as a delimited part of the text, images beside it. What
 * the question has must be readable, or an `ApiError` 400 says why not; what an earlier message had and
 * cannot be shown is replaced by a note.
 */
export function attachFiles(options: AttachOptions): AttachedFiles {
  const { messages, loaded, readers } = options;
  const question = messages.length - 1;
  const room = { images: MAX_REQUEST_IMAGES, bytes: MAX_REQUEST_IMAGE_BYTES };
  // From the latest message, so that the limits leave out the oldest images.
  const attached = messages.map((_, n) => question - n).map((at) => {
    const problems = (loaded[at] ?? []).map((one) => problemOf(one, { ...options, room }));
    if (at === question) rejectProblems(problems, { at, message: messages[at]! });
    return attachTo(messages[at]!, { loaded: loaded[at] ?? [], problems, readers });
  });
  const [last, ...earlier] = attached;
  const images = attached.flatMap((one) => one.images);
  return {
    messages: [...earlier.toReversed(), fitQuestion(last!, options)].map(toModelMessage),
    models: readers.filter((reader) => images.every((image) => canRead(reader, image))),
  };
}

interface Problem {
  code: string;
  message: string;
}

const UNKNOWN: Problem = {
  code: "attachment_not_found",
  message: "there is no such attachment",
};

/** Why an attachment cannot be shown; takes what it needs of the room for images if it can. */
function problemOf(
  loaded: LoadedAttachment | undefined,
  { agent, readers, room }: AttachOptions & { room: { images: number; bytes: number } },
): Problem | undefined {
  if (loaded === undefined) return UNKNOWN;
  const { record } = loaded;
  const isAllowed = record.kind === "image"
    ? agent.attachments?.images
    : agent.attachments?.documents;
  if (!isAllowed) {
    const message = `this agent takes no ${record.kind}s`;
    return { code: "attachment_not_allowed", message };
  }
  if (record.kind === "document") return undefined;
  const [primary] = readers;
  if (primary?.vision !== true) {
    const message = `the model ${primary?.model ?? ""} cannot read images`;
    return { code: "model_without_vision", message };
  }
  const facts = factsOf(loaded);
  const rejection = primary.protocol && imageRejection(facts, primary.protocol);
  if (rejection !== undefined) {
    const message = `the model ${primary.model} cannot read this image: ${rejection}`;
    return { code: "image_not_supported", message };
  }
  if (room.images < 1 || room.bytes < facts.bytes) {
    const message = "the images of one message are at most 14 MiB together";
    return { code: "images_too_large", message };
  }
  room.images--;
  room.bytes -= facts.bytes;
  return undefined;
}

function rejectProblems(
  problems: readonly (Problem | undefined)[],
  { at, message }: { at: number; message: ChatMessage },
): void {
  const ids = [...new Set(message.attachments)];
  const issues = problems.flatMap((problem, n) => {
    if (problem === undefined) return [];
    const path = `messages.${at}.attachments.${message.attachments!.indexOf(ids[n]!)}`;
    return [{ path, ...problem }];
  });
  if (issues.length > 0) throw validationError(issues);
}

/** A message, and what is added to it. */
interface AttachedMessage {
  message: ChatMessage;
  /** The files of which `parts` are made, if they may have to be shortened. */
  documents: LoadedAttachment[];
  parts: string[];
  /** Notes about files that cannot be shown. */
  notes: string[];
  images: LoadedAttachment[];
  modelImages: ModelImage[];
}

function attachTo(
  message: ChatMessage,
  { loaded, problems, readers }: {
    loaded: readonly (LoadedAttachment | undefined)[];
    problems: readonly (Problem | undefined)[];
    readers: readonly ImageReader[];
  },
): AttachedMessage {
  const shown = loaded.flatMap((one, n) =>
    one === undefined || problems[n] !== undefined ? [] : [one]
  );
  const missing = loaded.filter((_, n) => problems[n] !== undefined);
  const documents = shown.filter(({ record }) => record.kind === "document");
  const images = shown.filter(({ record }) => record.kind === "image");
  return {
    ...{ message, documents, images },
    parts: documents.map((file) => documentPart(file)),
    notes: missing.map((one) => unavailablePart(one?.described)),
    modelImages: images.map((one) => toModelImage(one, readers)),
  };
}

function toModelMessage(
  { message: { role, content }, parts, notes, modelImages }: AttachedMessage,
): ModelMessage {
  const text = [content, ...parts, ...notes].join("\n\n");
  if (role === "assistant" || modelImages.length === 0) return { role, content: text };
  return { role, content: text, images: modelImages };
}

/** Shortens the documents of the question until it fits; throws if its images alone do not. */
function fitQuestion(
  question: AttachedMessage,
  { contextWindow, otherBytes, messages }: AttachOptions,
): AttachedMessage {
  const { documents, images } = question;
  const rest = messageBytes([toModelMessage({ ...question, parts: [] })]);
  const available = maxPromptBytes(contextWindow) - otherBytes - rest;
  if (images.length > 0 && available < 0) {
    const path = `messages.${messages.length - 1}.attachments`;
    const message = "these images do not fit into the model's context";
    throw validationError([{ path, code: "images_too_large", message }]);
  }
  return { ...question, parts: fitDocuments(documents, available) };
}

function toModelImage(loaded: LoadedAttachment, readers: readonly ImageReader[]): ModelImage {
  const facts = factsOf(loaded);
  const bounds = readers.map(({ protocol, model }) =>
    protocol === undefined ? 0 : maxImageTokens(facts, { protocol, model })
  );
  return { id: loaded.record.id, mediaType: facts.mediaType, tokens: Math.max(...bounds) };
}

function canRead({ vision, protocol }: ImageReader, image: LoadedAttachment): boolean {
  if (vision !== true) return false;
  return protocol === undefined || imageRejection(factsOf(image), protocol) === undefined;
}

function factsOf({ record: { mediaType, bytes, size } }: LoadedAttachment): ImageFacts {
  const { width, height } = size!;
  return { mediaType: mediaType as ImageType, bytes, width, height };
}
