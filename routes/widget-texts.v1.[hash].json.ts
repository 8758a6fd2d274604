import { textsResponse } from "@/lib/http/texts_response.ts";
import { define } from "@/utils.ts";

/** The texts of a widget's extras, which know their content hash. `?lang=` selects one language. */
export const handler = define.handlers({ GET: (ctx) => textsResponse(ctx) });
