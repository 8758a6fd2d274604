import { type LeftOut, leftOut } from "../not_in_this_build.ts";

export const cors: LeftOut = leftOut("cors()");
export const ipFilter: LeftOut = leftOut("ipFilter()");
export const trailingSlashes: LeftOut = leftOut("trailingSlashes()");
