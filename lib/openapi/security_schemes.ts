import type { SecurityScheme } from "./document.ts";

export const SECURITY_SCHEMES = {
  ApiKey: {
    type: "http",
    scheme: "bearer",
    bearerFormat: "ck_live_<prefix8>_<secret32>",
    description:
      "An API key, as `Authorization: Bearer <API_KEY>`. For servers only: never ship it " +
      "to a browser. Operations name the scope it needs; a `:write` scope includes its `:read`. " +
      "A key whose scopes all end in `:read` may not chat, nor follow or cancel runs.",
  },
  ServiceSession: {
    type: "apiKey",
    in: "header",
    name: "X-Service-Session",
    description: "A session token, `cs_` and more, that a backend minted for one agent on one " +
      "origin. Safe in a browser.",
  },
} satisfies Record<string, SecurityScheme>;
