import { type Unsupported, unsupported } from "../unsupported.ts";

export const cors: Unsupported = unsupported("cors()");
export const ipFilter: Unsupported = unsupported("ipFilter()");
export const trailingSlashes: Unsupported = unsupported("trailingSlashes()");
