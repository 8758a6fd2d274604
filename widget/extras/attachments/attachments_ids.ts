/**
 * Ids of the strings in attachments_texts.ts, from ATTACHMENTS on (text_ids.ts). The bundler inlines numbers of a
 * file without imports only.
 */

export const ATTACH_FILE = 256;
export const TAKE_PHOTO = 257;
export const UPLOADING = 258;
export const ATTACHED = 259;
export const REMOVE = 260;
export const NOT_ATTACHED = 261;
export const TOO_LARGE = 262;
export const TOO_MANY = 263;
export const DROP_HERE = 264;
export const SENT_LATER = 265;
