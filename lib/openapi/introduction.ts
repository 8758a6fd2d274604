export const API_SUMMARY =
  "Create chat agents, let pages embed them, and stream their answers as they are made.";

/** What holds for every operation; paragraphs of CommonMark with nothing but code spans in them. */
export const API_DESCRIPTION = [
  "Bodies are JSON with camelCase names; the chat answers as server-sent events. Unknown fields of a " +
  "request are refused, optional ones are left out and never `null`. Text is whole characters: half " +
  "of a surrogate pair, or a NUL, is refused wherever a body holds one, names of fields included. " +
  "Times are ISO 8601 in UTC.",
  "Every refusal under `/v1` is one envelope: `code` is stable and machine-readable, `message` is for " +
  "people, `http` repeats the status. The request's id is in the header `x-request-id`. A method that " +
  "an address does not take is 405 with those it takes in `Allow`; HEAD is GET without the body, and " +
  "OPTIONS tells the methods. An answer that says nothing of caching in `Cache-Control` is `no-store`.",
  "An id that belongs to another tenant is 404, as if it did not exist. A 429 says in `Retry-After` " +
  "how many whole seconds to wait, and `RateLimit` what is left before there is one. What a tenant " +
  "may store is bounded by its plan: past it a creating request is 403 `quota_exceeded`, and " +
  "`details` has what is used and allowed. Clients must ignore fields and frame types that they do not know: later " +
  "versions add some. Codes stay as they are, messages do not. What will go is announced in the " +
  "headers `Deprecation` and `Sunset`, at least six months ahead.",
].join("\n\n");
