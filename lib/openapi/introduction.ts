export const API_SUMMARY =
  "Create chat agents, let pages embed them, and stream their answers as they are made.";

/** What holds for every operation; paragraphs of CommonMark with nothing but code spans in them. */
export const API_DESCRIPTION = [
  "Bodies are JSON with camelCase names; the chat answers as server-sent events. Unknown fields of a " +
  "request are refused, optional ones are left out and never `null`. Times are ISO 8601 in UTC.",
  "Every refusal under `/v1` is one envelope: `code` is stable and machine-readable, `message` is for " +
  "people, `http` repeats the status. The request's id is in the header `x-request-id`. An address " +
  "that does not take a method answers 405 `method_not_allowed` and names those it takes in `Allow`.",
  "An id that belongs to another tenant is 404, as if it did not exist. A 429 says in `Retry-After` " +
  "how many seconds to wait. Clients must ignore fields and frame types that they do not know: later " +
  "versions add some. Codes stay as they are, messages do not.",
].join("\n\n");
