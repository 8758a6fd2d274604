import { widgetInfoResponse } from "@/lib/http/script_response.ts";
import { define } from "@/utils.ts";

export const handler = define.handlers({
  GET: ({ state: { service } }) => widgetInfoResponse(service),
});
