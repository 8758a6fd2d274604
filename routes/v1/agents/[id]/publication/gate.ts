import { publicationPart } from "@/lib/http/publication_response.ts";
import { define } from "@/utils.ts";

export const handler = define.handlers(publicationPart({ set: "setGate", delete: "deleteGate" }));
