import { z } from "zod";

/** Body of `POST /v1/widget/doctor`. */
export const doctorBodySchema = z.strictObject({
  agentId: z.uuid().toLowerCase(),
  origin: z.string().min(1).max(512).describe("The page's origin: `scheme://host[:port]`."),
  tag: z.string().min(1).max(16_384).optional().describe(
    "The page's script tag. Without it the page at the origin is fetched, if it is https and one " +
      "of the agent's `allowedOrigins`.",
  ),
});
export type DoctorBody = z.infer<typeof doctorBodySchema>;

/** The checks, in the order in which a browser would hit a problem. */
export const DOCTOR_CHECKS = [
  "origin",
  "tag",
  "mixed_content",
  "csp",
  "integrity",
  "token",
  "clock",
] as const;
export type DoctorCheck = typeof DOCTOR_CHECKS[number];

/**
 * Every message of the doctor. The texts are fixed and contain nothing of a fetched page: otherwise the
 * doctor could be used to read other people's pages.
 */
export const DOCTOR_REASONS = {
  fine: "Nothing is wrong here.",
  not_read: "Not looked at: the page could not be read. Paste its tag to have that checked.",
  only_tag: "Not looked at: only the tag was given, or the page could not be read.",
  no_tag: "Not looked at: there is no tag to look at.",
  origin_malformed: "Not an origin: it is scheme://host[:port] without a path, and https " +
    "everywhere but on localhost.",
  origin_not_listed: "The origin is not in the agent's allowedOrigins: no token is minted for it.",
  tag_not_found: "There is no script tag with data-service-widget. If a script inserts it, paste " +
    "the tag.",
  marker_missing: "The tag lacks data-service-widget, so the script does nothing.",
  script_elsewhere: "The src is not an address of this service's widget script.",
  api_base_differs: "data-api-base is not the address of this service.",
  agent_differs: "data-agent-id is another agent's.",
  mixed_content: "An address in the tag is http, which browsers block on an https page.",
  policy_scripts: "The page's Content-Security-Policy does not let it load the widget script.",
  policy_panel: "The page's Content-Security-Policy lets it load the widget script, but not the " +
    "panel, which that script loads from the same folder. Allow the host, a nonce with " +
    "'strict-dynamic', or the panel's integrity value, too.",
  policy_extras:
    "The page's Content-Security-Policy lets it load the panel, but not the widget's " +
    "extras, which the panel loads from the same folder: visitors chat, but cannot rate answers. " +
    "Allow the host, or the extras' integrity value, too.",
  policy_connections: "The page's Content-Security-Policy does not let it call the service.",
  policy_sandbox: "The page's Content-Security-Policy is a sandbox without allow-scripts and " +
    "allow-same-origin.",
  integrity_missing: "The tag has no integrity value.",
  integrity_stale: "The integrity value is not that of the script: browsers block it.",
  release_gone: "The pinned script is older than the last hundred releases, or never was one.",
  crossorigin_missing: 'The tag lacks crossorigin="anonymous": its integrity cannot be checked.',
  token_missing:
    "The tag has neither data-session-token nor data-session-endpoint. That is right " +
    "only if the page calls setSessionToken().",
  token_unknown: "The token was never minted here, or it was revoked.",
  token_expired: "The token has expired: mint one for each page that is shown.",
  token_used_up: "The token's messages are used up.",
  token_other_agent: "The token was minted for another agent.",
  token_other_origin: "The token was minted for another origin: forward the browser's Origin.",
  token_native_app: "The token was minted for a native app: browsers cannot use it.",
  token_bound:
    "The token was minted with bind, but the tag lacks data-bind: its calls are rejected.",
  api_key_in_page:
    "There is an API key in the page. Revoke it now: it belongs on your server only.",
  clock_wrong:
    "The site's clock is more than a minute off: it will take dead tokens for live ones.",
} as const;
export type DoctorReason = keyof typeof DOCTOR_REASONS;

const reasons = Object.keys(DOCTOR_REASONS) as [DoctorReason, ...DoctorReason[]];

const doctorFindingSchema = z.object({
  check: z.enum(DOCTOR_CHECKS),
  verdict: z.enum(["pass", "fail", "unknown"]),
  reason: z.enum(reasons),
  message: z.string().describe("For people; the same for the same `reason`."),
});
export type DoctorFinding = z.infer<typeof doctorFindingSchema>;

/** Answer of `POST /v1/widget/doctor`. */
export const doctorReportSchema = z.object({
  findings: z.array(doctorFindingSchema).describe("One for each check."),
  lines: z.object({
    tag: z.string().describe("The script tag without the token."),
    csp: z.string().describe("What the page's Content-Security-Policy must allow."),
    mint: z.string().describe("The request with which a backend gets a token."),
  }).describe("Lines to paste."),
});
export type DoctorReport = z.infer<typeof doctorReportSchema>;
