/** Ids of the strings in attachments_texts.ts. Inlined by the bundler. */
import { ATTACHMENTS } from "../text_ids.ts";

export const ATTACH_FILE = ATTACHMENTS;
export const TAKE_PHOTO = ATTACHMENTS + 1;
export const UPLOADING = ATTACHMENTS + 2;
export const ATTACHED = ATTACHMENTS + 3;
export const REMOVE = ATTACHMENTS + 4;
export const NOT_ATTACHED = ATTACHMENTS + 5;
export const TOO_LARGE = ATTACHMENTS + 6;
export const TOO_MANY = ATTACHMENTS + 7;
export const DROP_HERE = ATTACHMENTS + 8;
export const SENT_LATER = ATTACHMENTS + 9;
