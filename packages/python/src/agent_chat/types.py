"""Types of the service's requests and responses, written from its API document."""

from __future__ import annotations

from typing import Any, Literal, TypedDict, Union

from typing_extensions import NotRequired

class Agent(TypedDict):
    id: str
    # For people.
    name: str
    # Instructions for the model. `{{visitor.name}}` inserts one of `variables`.
    systemPrompt: str
    # What a session may say about its visitor. `{{visitor.name}}` inserts a value into the prompt and into requests of tools, `{{visitor.id}}` the visitor's id.
    variables: NotRequired[list["AgentVariable"]]
    modelPolicy: "ModelPolicy"
    fallback: NotRequired["Fallback"]
    # A knowledge base of the same tenant. It adds the tool `search_knowledge`, so none of `tools` may have that name.
    knowledgeBaseId: NotRequired[str]
    rerank: NotRequired["Rerank"]
    budget: "Budget"
    # Names are unique; each tool's host must be in `allowedDomains`, and `{{name}}` in a request must name one of the tool's parameters, `{{visitor.name}}` one of `variables`. `[]` for none.
    tools: list["ToolDefinition"]
    # Where tools may call: a host or `*.host`, with an optional `:port`.
    allowedDomains: list[str]
    # Pages that may embed the agent: `scheme://host[:port]`, `http:` for localhost only. Without any, no widget session can be minted.
    allowedOrigins: NotRequired[list[str]]
    # Apps without pages may chat: a session is minted without an `Origin`, bound to a key of the app. False by default.
    nativeApps: NotRequired[bool]
    appearance: NotRequired["Appearance"]
    attachments: NotRequired["AgentAttachments"]
    handoff: NotRequired["Handoff"]
    guardrails: NotRequired["Guardrails"]
    # Days for which everything that conversations leave is stored: at most the plan's number, which is also the default. 0 keeps nothing: a run's log exists for 10 minutes after its end, and `handoff` and `memory` cannot be enabled. Applies to messages from then on.
    retentionDays: NotRequired[int]
    memory: NotRequired["Memory"]
    # Whether the model may suggest up to three follow-up questions below an answer. It adds the tool `suggest_follow_ups`, so none of `tools` may have that name. Default: `false`.
    followUps: NotRequired[bool]
    # JSON Schema of the answers, at most 16 KiB. An answer is then one JSON text that is valid against it, sent whole once it is complete. A model whose answer is not valid is asked once more; if that fails too, the run ends with the error `provider_error`.
    responseSchema: NotRequired[dict[str, "JsonValue"]]
    createdAt: str
    updatedAt: str
    # 1 at creation, +1 on each change; also the `ETag`.
    version: int

class AgentBody(TypedDict):
    # For people.
    name: str
    # Instructions for the model. `{{visitor.name}}` inserts one of `variables`.
    systemPrompt: str
    # What a session may say about its visitor. `{{visitor.name}}` inserts a value into the prompt and into requests of tools, `{{visitor.id}}` the visitor's id.
    variables: NotRequired[list["AgentVariable"]]
    modelPolicy: "ModelPolicy"
    fallback: NotRequired["Fallback"]
    # A knowledge base of the same tenant. It adds the tool `search_knowledge`, so none of `tools` may have that name.
    knowledgeBaseId: NotRequired[str]
    rerank: NotRequired["Rerank"]
    budget: "Budget"
    # Names are unique; each tool's host must be in `allowedDomains`, and `{{name}}` in a request must name one of the tool's parameters, `{{visitor.name}}` one of `variables`. `[]` for none.
    tools: list["ToolDefinition"]
    # Where tools may call: a host or `*.host`, with an optional `:port`.
    allowedDomains: list[str]
    # Pages that may embed the agent: `scheme://host[:port]`, `http:` for localhost only. Without any, no widget session can be minted.
    allowedOrigins: NotRequired[list[str]]
    # Apps without pages may chat: a session is minted without an `Origin`, bound to a key of the app. False by default.
    nativeApps: NotRequired[bool]
    appearance: NotRequired["Appearance"]
    attachments: NotRequired["AgentAttachments"]
    handoff: NotRequired["Handoff"]
    guardrails: NotRequired["Guardrails"]
    # Days for which everything that conversations leave is stored: at most the plan's number, which is also the default. 0 keeps nothing: a run's log exists for 10 minutes after its end, and `handoff` and `memory` cannot be enabled. Applies to messages from then on.
    retentionDays: NotRequired[int]
    memory: NotRequired["Memory"]
    # Whether the model may suggest up to three follow-up questions below an answer. It adds the tool `suggest_follow_ups`, so none of `tools` may have that name. Default: `false`.
    followUps: NotRequired[bool]
    # JSON Schema of the answers, at most 16 KiB. An answer is then one JSON text that is valid against it, sent whole once it is complete. A model whose answer is not valid is asked once more; if that fails too, the run ends with the error `provider_error`.
    responseSchema: NotRequired[dict[str, "JsonValue"]]

class AgentPatchModelPolicy(TypedDict):
    provider: NotRequired[Literal["vendor_a", "vendor_b", "vendor_c"]]
    # Must be in the tenant's plan.
    model: NotRequired[str]
    # Limited to the provider's range; omitted for models without temperature.
    temperature: NotRequired[float]
    # Tokens; fewer if the conversation leaves less of the model's context.
    maxOutputTokens: NotRequired[int]
    reasoningEffort: NotRequired[Union[Literal["minimal", "low", "medium", "high"], None]]
    topP: NotRequired[Union[float, None]]
    stopSequences: NotRequired[Union[list[str], None]]

class AgentPatchBudget(TypedDict):
    # USD.
    maxCostUsd: NotRequired[float]
    # Model calls in one run.
    maxSteps: NotRequired[int]
    # Milliseconds.
    wallClockMs: NotRequired[int]

class AgentPatch(TypedDict):
    # For people.
    name: NotRequired[str]
    # Instructions for the model. `{{visitor.name}}` inserts one of `variables`.
    systemPrompt: NotRequired[str]
    # What a session may say about its visitor. `{{visitor.name}}` inserts a value into the prompt and into requests of tools, `{{visitor.id}}` the visitor's id.
    variables: NotRequired[list["AgentVariable"]]
    modelPolicy: NotRequired["AgentPatchModelPolicy"]
    fallback: NotRequired[Union["Fallback", None]]
    # A knowledge base of the same tenant. It adds the tool `search_knowledge`, so none of `tools` may have that name.
    knowledgeBaseId: NotRequired[str]
    rerank: NotRequired[Union["Rerank", None]]
    budget: NotRequired["AgentPatchBudget"]
    # Names are unique; each tool's host must be in `allowedDomains`, and `{{name}}` in a request must name one of the tool's parameters, `{{visitor.name}}` one of `variables`. `[]` for none.
    tools: NotRequired[list["ToolDefinition"]]
    # Where tools may call: a host or `*.host`, with an optional `:port`.
    allowedDomains: NotRequired[list[str]]
    # Pages that may embed the agent: `scheme://host[:port]`, `http:` for localhost only. Without any, no widget session can be minted.
    allowedOrigins: NotRequired[list[str]]
    # Apps without pages may chat: a session is minted without an `Origin`, bound to a key of the app. False by default.
    nativeApps: NotRequired[bool]
    appearance: NotRequired[Union["Appearance", None]]
    attachments: NotRequired[Union["AgentAttachments", None]]
    handoff: NotRequired[Union["Handoff", None]]
    guardrails: NotRequired[Union["Guardrails", None]]
    retentionDays: NotRequired[Union[int, None]]
    memory: NotRequired[Union["Memory", None]]
    # Whether the model may suggest up to three follow-up questions below an answer. It adds the tool `suggest_follow_ups`, so none of `tools` may have that name. Default: `false`.
    followUps: NotRequired[bool]
    responseSchema: NotRequired[Union[dict[str, "JsonValue"], None]]

class AgentPage(TypedDict):
    # Newest first.
    data: list["Agent"]
    # The `cursor` of the next page; absent on the last.
    nextCursor: NotRequired[str]

class AgentVersions(TypedDict):
    # Newest first; the last 100 versions are stored.
    data: list["Agent"]
    # The `cursor` of the next page; absent on the last.
    nextCursor: NotRequired[str]

class ModelPolicy(TypedDict):
    """The model and its settings."""
    provider: Literal["vendor_a", "vendor_b", "vendor_c"]
    # Must be in the tenant's plan.
    model: str
    # Limited to the provider's range; omitted for models without temperature.
    temperature: NotRequired[float]
    # Tokens; fewer if the conversation leaves less of the model's context.
    maxOutputTokens: NotRequired[int]
    # How much the model reasons before it answers, in the form that its provider understands; omitted for models that do not reason. Reasoning counts as output, within `maxOutputTokens`.
    reasoningEffort: NotRequired[Literal["minimal", "low", "medium", "high"]]
    # Nucleus sampling: only the most likely tokens of this total probability. Omitted for models without it, and where a provider allows either it or `temperature`.
    topP: NotRequired[float]
    # The answer ends before the first of these texts. Omitted for models without stop sequences.
    stopSequences: NotRequired[list[str]]

class Fallback(TypedDict):
    """The model to use if the first one fails."""
    provider: Literal["vendor_a", "vendor_b", "vendor_c"]
    # Must be in the tenant's plan.
    model: str

class Rerank(TypedDict):
    """A model that orders the passages of `search_knowledge` by how well they answer the query: one short request per search, within the run's budget. After an error or 8 seconds the search's own order stays."""
    provider: Literal["vendor_a", "vendor_b", "vendor_c"]
    # Must be in the tenant's plan.
    model: str

class Budget(TypedDict):
    """Limits of one run."""
    # USD.
    maxCostUsd: float
    # Model calls in one run.
    maxSteps: int
    # Milliseconds.
    wallClockMs: int

class Appearance(TypedDict):
    """Look and texts of the chat widget; `data-*` attributes of the script tag win."""
    # Default: the agent's name.
    title: NotRequired[str]
    # One letter or emoji, or a PNG, JPEG or WebP image as a base64 `data:` address.
    avatar: NotRequired[str]
    # A PNG, JPEG or WebP image as a base64 `data:` address, which may be wide. Shown at the top of the panel instead of the avatar; `title` is its text alternative.
    logo: NotRequired[str]
    # `#rrggbb`; the color of text on it is computed.
    accent: NotRequired[str]
    # `auto` follows the system.
    theme: NotRequired[Literal["auto", "light", "dark"]]
    # Side of the screen.
    position: NotRequired[Literal["right", "left"]]
    # Whether visitors can rate answers. Default: `on`.
    feedback: NotRequired[Literal["on", "off"]]
    # Whether visitors can widen the panel. Default: `on`.
    wide: NotRequired[Literal["on", "off"]]
    # Whether visitors can have a quiet sound played when an answer arrives. Default: `off`.
    sound: NotRequired[Literal["on", "off"]]
    # Whether visitors see what is left of their limits. Default: `off`.
    limits: NotRequired[Literal["on", "off"]]
    # Whether visitors can dictate and have answers read aloud, where the browser can. Default: `on`.
    voice: NotRequired[Literal["on", "off"]]
    # Whether visitors see their earlier conversations. Default: `on`.
    history: NotRequired[Literal["on", "off"]]
    # First sentence of an empty conversation.
    greeting: NotRequired[str]
    # Questions that a visitor can ask with one click.
    suggestions: NotRequired[list[str]]
    # Language of the widget's own texts. Default: the page's.
    lang: NotRequired[Literal["en", "de", "fr", "es", "pt", "it", "nl", "pl", "tr", "ar", "ja", "zh"]]
    # A line below the message field.
    privacyText: NotRequired[str]
    # Makes that line a link.
    privacyUrl: NotRequired[str]

class ShownAppearance(TypedDict):
    # The agent's name, if the appearance has no title.
    title: NotRequired[str]
    # One letter or emoji, or a PNG, JPEG or WebP image as a base64 `data:` address.
    avatar: NotRequired[str]
    # A PNG, JPEG or WebP image as a base64 `data:` address, which may be wide. Shown at the top of the panel instead of the avatar; `title` is its text alternative.
    logo: NotRequired[str]
    # `#rrggbb`; the color of text on it is computed.
    accent: NotRequired[str]
    # `auto` follows the system.
    theme: NotRequired[Literal["auto", "light", "dark"]]
    # Side of the screen.
    position: NotRequired[Literal["right", "left"]]
    # Whether visitors can rate answers. Default: `on`.
    feedback: NotRequired[Literal["on", "off"]]
    # Whether visitors can widen the panel. Default: `on`.
    wide: NotRequired[Literal["on", "off"]]
    # Whether visitors can have a quiet sound played when an answer arrives. Default: `off`.
    sound: NotRequired[Literal["on", "off"]]
    # Whether visitors see what is left of their limits. Default: `off`.
    limits: NotRequired[Literal["on", "off"]]
    # Whether visitors can dictate and have answers read aloud, where the browser can. Default: `on`.
    voice: NotRequired[Literal["on", "off"]]
    # Whether visitors see their earlier conversations. Default: `on`.
    history: NotRequired[Literal["on", "off"]]
    # First sentence of an empty conversation.
    greeting: NotRequired[str]
    # Questions that a visitor can ask with one click.
    suggestions: NotRequired[list[str]]
    # Language of the widget's own texts. Default: the page's.
    lang: NotRequired[Literal["en", "de", "fr", "es", "pt", "it", "nl", "pl", "tr", "ar", "ja", "zh"]]
    # A line below the message field.
    privacyText: NotRequired[str]
    # Makes that line a link.
    privacyUrl: NotRequired[str]
    # Absent if the agent offers none of these.
    offers: NotRequired["AgentOffers"]

AgentOffers = list[Literal["images", "documents", "handoff", "memory"]]

class AgentVariable(TypedDict):
    name: str
    type: Literal["string", "number", "boolean"]
    # For people.
    description: NotRequired[str]
    # Of the variable's type. Used if a session has no value.
    default: NotRequired[Union[str, float, bool]]

class AgentAttachments(TypedDict):
    """Files that messages may have; none by default."""
    # PNG, JPEG, WebP and GIF; needs a model with vision.
    images: NotRequired[bool]
    # PDF, plain text, Markdown and CSV.
    documents: NotRequired[bool]

class Memory(TypedDict):
    """What the agent remembers about a visitor: at most 50 facts of 300 characters, which the visitor can read, change and delete. Off by default; requires stored conversations."""
    # Whether the model may keep facts about the visitor of a session that was minted with one. It adds the tools `remember` and `forget`, so none of `tools` may have these names.
    enabled: bool
    # For the model: what is worth remembering, and what is not.
    instructions: NotRequired[str]

class Fact(TypedDict):
    id: str
    text: str
    createdAt: str
    updatedAt: str

class FactList(TypedDict):
    """What an agent remembers about a visitor."""
    # Oldest first.
    facts: list["Fact"]

class FactBody(TypedDict):
    text: str

class ToolDefinition4(TypedDict):
    type: Literal["agent"]
    name: str
    description: str
    # Another agent of the tenant. It gets one `message`, and answers within the budget of the run that asks. At most two agents below the first one; none may be asked by itself.
    agentId: str
    # What people read in place of the tool's name. The model does not see it.
    title: NotRequired[str]
    # What visitors read while the tool runs, such as “Looking up your order…”. The frame `tool_call` has it; the model does not see it.
    progress: NotRequired[str]

ToolDefinition = Union["HttpTool", "McpTool", "ClientTool", "ToolDefinition4"]

class HttpToolRequest(TypedDict):
    method: Literal["GET", "POST", "PUT", "PATCH", "DELETE"]
    url: str
    headers: NotRequired[dict[str, str]]
    query: NotRequired[dict[str, str]]
    # Sent as JSON, or as a form if `content-type` is `application/x-www-form-urlencoded`. With any other type a string is sent unchanged. `{{param}}` inserts an argument, encoded for JSON, JSON lines, forms and XML, and unencoded for `text/plain` and `text/markdown`; with any other type a string must not contain it, unless it consists of `{{param}}` alone.
    body: NotRequired["JsonValue"]

class HttpTool(TypedDict):
    type: Literal["http"]
    name: str
    description: str
    parameters: dict[str, "JsonValue"]
    request: "HttpToolRequest"
    timeoutMs: NotRequired[int]
    maxResponseBytes: NotRequired[int]
    # What visitors read while the tool runs, such as “Looking up your order…”. The frame `tool_call` has it; the model does not see it.
    progress: NotRequired[str]
    # What people read in place of the tool's name. The model does not see it.
    title: NotRequired[str]
    # Who must agree to each call: the `visitor` in the chat, or a `person` of your team in the inbox. The run waits for at most 60 seconds, and silence declines the call. Default: `never`.
    approval: NotRequired[Literal["never", "visitor", "person"]]
    # Repeating a call with the same `Idempotency-Key` has no further effect, so that a call whose outcome is unknown is repeated: after a timeout, a lost connection, or 502, 503 and 504. Default: `false`, and only calls that never reached the server are repeated.
    idempotent: NotRequired[bool]
    # Calls may run beside others of the same step. Needs a tool without side effects (`GET`) or one that is `idempotent`. Default: `false`.
    parallel: NotRequired[bool]

class McpTool(TypedDict):
    type: Literal["mcp"]
    name: str
    url: str
    headers: NotRequired[dict[str, str]]
    allow: NotRequired[list[str]]
    # Whether the model may also list and read the server's resources, with the tools `<name>_list_resources` and `<name>_read_resource`. `false` by default.
    resources: NotRequired[bool]
    # What visitors read while the tool runs, such as “Looking up your order…”. The frame `tool_call` has it; the model does not see it.
    progress: NotRequired[str]
    # What people read in place of the tool's name. The model does not see it.
    title: NotRequired[str]
    # Who must agree to each call: the `visitor` in the chat, or a `person` of your team in the inbox. The run waits for at most 60 seconds, and silence declines the call. Default: `never`.
    approval: NotRequired[Literal["never", "visitor", "person"]]
    # Repeating a call with the same `Idempotency-Key` has no further effect, so that a call whose outcome is unknown is repeated: after a timeout, a lost connection, or 502, 503 and 504. Default: `false`, and only calls that never reached the server are repeated.
    idempotent: NotRequired[bool]
    # Calls may run beside others of the same step. Needs a tool without side effects (`GET`) or one that is `idempotent`. Default: `false`.
    parallel: NotRequired[bool]

class ClientTool(TypedDict):
    """Executed by the visitor's page, which sends the output."""
    type: Literal["client"]
    name: str
    description: str
    parameters: dict[str, "JsonValue"]
    # JSON schema of the output; without it, any JSON value.
    output: NotRequired[dict[str, "JsonValue"]]
    # How long a call waits for the page, milliseconds. Default: 30,000.
    timeoutMs: NotRequired[int]
    # What visitors read while the tool runs, such as “Looking up your order…”. The frame `tool_call` has it; the model does not see it.
    progress: NotRequired[str]
    # What people read in place of the tool's name. The model does not see it.
    title: NotRequired[str]

class MintBody(TypedDict):
    agentId: str
    visitor: NotRequired["MintVisitor"]
    # Every call with the token must carry a proof of a key in the header `DPoP`. `true` binds the session to the key of the first valid proof, `jkt` to this key from the start.
    bind: NotRequired[Union[Literal[True], "BoundKey"]]

class BoundKey(TypedDict):
    # The SHA-256 thumbprint of the key's public JWK (RFC 7638).
    jkt: str

class MintVisitor(TypedDict):
    """The visitor that the session is for."""
    # How your backend calls this visitor; without control characters.
    id: str
    # Values of variables that the agent declares, each of its type; together at most 4 KiB of JSON.
    variables: NotRequired[dict[str, Any]]
    # Replaces the visitor's limits; without it they stay as they are.
    limits: NotRequired["VisitorLimitsBody"]

class VisitorLimitsBody(TypedDict):
    """What one visitor may use in each period."""
    # USD; absent for no limit.
    costUsd: NotRequired[float]
    # Absent for no limit.
    messages: NotRequired[int]
    # UTC days or months; `total` never starts again.
    per: Literal["day", "month", "total"]

class VisitorLimitsCostUsd(TypedDict):
    """`left` is neither spent nor set aside for runs that are being answered."""
    limit: float
    left: float

class VisitorLimitsMessages(TypedDict):
    limit: int
    left: int

class VisitorLimits(TypedDict):
    # `left` is neither spent nor set aside for runs that are being answered.
    costUsd: NotRequired["VisitorLimitsCostUsd"]
    messages: NotRequired["VisitorLimitsMessages"]
    # UTC days or months; `total` never starts again.
    per: NotRequired[Literal["day", "month", "total"]]
    # Absent for `total`.
    resetsAt: NotRequired[str]

class VisitorUsageTotal(TypedDict):
    """In all periods."""
    # Exact to a millionth.
    costUsd: float
    messages: int
    inputTokens: int
    outputTokens: int

class VisitorUsage(TypedDict):
    # The period of the visitor's limits; the month without any.
    per: Literal["day", "month", "total"]
    # Absent for `total`.
    resetsAt: NotRequired[str]
    # Exact to a millionth.
    costUsd: float
    messages: int
    inputTokens: int
    outputTokens: int
    # In all periods.
    total: "VisitorUsageTotal"

class PlaygroundBody(TypedDict):
    pass

class RevokeBody(TypedDict):
    sessionToken: str

class DoctorBody(TypedDict):
    agentId: str
    # The page's origin: `scheme://host[:port]`.
    origin: str
    # The page's script tag. Without it the page at the origin is fetched, if it is https and one of the agent's `allowedOrigins`.
    tag: NotRequired[str]

class DoctorReportFindingsItem(TypedDict):
    check: Literal["origin", "tag", "mixed_content", "csp", "integrity", "token", "clock"]
    verdict: Literal["pass", "fail", "unknown"]
    reason: Literal["fine", "not_read", "only_tag", "no_tag", "origin_malformed", "origin_not_listed", "tag_not_found", "marker_missing", "script_elsewhere", "api_base_differs", "agent_differs", "mixed_content", "policy_scripts", "policy_panel", "policy_extras", "policy_connections", "policy_sandbox", "integrity_missing", "integrity_stale", "release_gone", "crossorigin_missing", "token_missing", "token_unknown", "token_expired", "token_used_up", "token_other_agent", "token_other_origin", "token_native_app", "token_bound", "api_key_in_page", "clock_wrong"]
    # For people; the same for the same `reason`.
    message: str

class DoctorReportLines(TypedDict):
    """Lines to paste."""
    # The script tag without the token.
    tag: str
    # What the page's Content-Security-Policy must allow.
    csp: str
    # The request with which a backend gets a token.
    mint: str

class DoctorReport(TypedDict):
    # One for each check.
    findings: list["DoctorReportFindingsItem"]
    # Lines to paste.
    lines: "DoctorReportLines"

class MintedSession(TypedDict):
    # Opaque and secret; may be sent to a browser.
    sessionToken: str
    # When the session ends: 15 minutes after the mint.
    expiresAt: str
    # Total messages that this session may send.
    messageCap: int
    # The agent's, and what it offers; absent if it has neither.
    appearance: NotRequired["ShownAppearance"]

class ChatBody(TypedDict):
    agentId: str
    # Must equal the `X-Service-Session` header; required with it.
    sessionToken: NotRequired[str]
    # The whole conversation so far; the last message is the user's.
    messages: list["ChatMessage"]
    # Groups the stored runs; generated if omitted.
    conversationId: NotRequired[str]
    # Overrides the agent's for this call.
    model: NotRequired[str]
    # Overrides the agent's for this call.
    provider: NotRequired[Literal["vendor_a", "vendor_b", "vendor_c"]]
    # Limited to the provider's range; omitted for models without temperature.
    temperature: NotRequired[float]
    # Tokens; fewer if the conversation leaves less of the model's context.
    maxOutputTokens: NotRequired[int]
    # For correlation: the `start` frame repeats it.
    requestId: NotRequired[str]
    # The run whose answer this message asks for again, or whose question it changes. Must be a run of `conversationId`. Send the messages before that run's question, then the question.
    replaces: NotRequired[str]

class ChatMessage(TypedDict):
    role: Literal["user", "assistant"]
    content: str
    # Ids of `POST /v1/chat/attachments`, of the user's messages only. Repeat them when the message is sent again as a part of the conversation.
    attachments: NotRequired[list[str]]

class Attachment(TypedDict):
    # For the `attachments` of a message.
    id: str
    kind: Literal["image", "document"]
    # The type by the file's content.
    mediaType: Literal["image/png", "image/jpeg", "image/webp", "image/gif", "application/pdf", "text/plain", "text/markdown", "text/csv"]
    # Size of the stored file: an image is stored without its metadata.
    bytes: int
    # The file's name; by its type if it was sent without one.
    name: str
    # When it is deleted, unless a message uses it before.
    expiresAt: str

class AttachmentForm(TypedDict):
    # An image (PNG, JPEG, WebP, GIF), PDF or text file of at most 10 MiB.
    file: str

class MessageAttachment(TypedDict):
    id: str
    kind: Literal["image", "document"]
    mediaType: Literal["image/png", "image/jpeg", "image/webp", "image/gif", "application/pdf", "text/plain", "text/markdown", "text/csv"]
    # Size of the stored file.
    bytes: int
    # The file's name; absent if it cannot be decrypted.
    name: NotRequired[str]

Frame = Union["StartFrame", "DeltaFrame", "ToolCallFrame", "ToolResultFrame", "UsageFrame", "ErrorFrame", "DoneFrame"]

HandoffBusinessHoursWeekItem = TypedDict("HandoffBusinessHoursWeekItem", {
    "day": Literal["mon", "tue", "wed", "thu", "fri", "sat", "sun"],
    "from": str,
    "to": str,
})

class HandoffBusinessHours(TypedDict):
    """Without it, people answer at any time."""
    # IANA time zone, such as `Europe/Berlin`.
    timeZone: str
    # When people answer, each week. Intervals of a day must not overlap.
    week: list["HandoffBusinessHoursWeekItem"]

class Handoff(TypedDict):
    """Hand-off of conversations to people. Requires a plan that stores conversations."""
    # If false, nobody can ask for a person; conversations that a person has are not affected.
    enabled: bool
    # `model` adds the tool `hand_off`, `visitor` allows `POST …/handoff`.
    by: list[Literal["model", "visitor"]]
    # Shown to the visitor while the conversation waits for a person or has one.
    message: str
    # Without it, people answer at any time.
    businessHours: NotRequired["HandoffBusinessHours"]
    # If nobody takes the conversation in this time, the agent has it again; 5 by default.
    answerWithinMinutes: NotRequired[int]
    # Whether the visitor is asked for an e-mail address and a message when nobody is there.
    form: NotRequired[bool]

class HandoffStatus(TypedDict):
    conversationId: str
    # Whether the visitor may ask for a person now.
    offered: bool
    # `none`: nobody has asked for a person in this conversation.
    state: Literal["none", "waiting", "taken", "returned", "closed"]
    # Why the agent has the conversation again without a person's decision: outside business hours, nobody answered in time, or the agent's `handoff` was removed.
    cause: NotRequired[Literal["outside_hours", "no_answer", "switched_off"]]
    # The name that the person shows to the visitor.
    person: NotRequired[str]
    requestedAt: NotRequired[str]
    # While `waiting`: until when.
    answerBy: NotRequired[str]
    # The agent's `handoff.message`.
    message: NotRequired[str]
    # Whether the visitor may leave an e-mail address and a message: `POST …/contact`.
    form: bool

class HandoffTranscriptEntriesItem1(TypedDict):
    type: Literal["state"]
    state: Literal["waiting", "taken", "returned", "closed"]
    # Why the agent has the conversation again without a person's decision: outside business hours, nobody answered in time, or the agent's `handoff` was removed.
    cause: NotRequired[Literal["outside_hours", "no_answer", "switched_off"]]
    # The name that the person shows to the visitor.
    person: NotRequired[str]
    # Who asked for a person.
    by: NotRequired[Literal["model", "visitor"]]
    # Why the model asked.
    reason: NotRequired[str]
    at: str

class HandoffTranscriptEntriesItem2(TypedDict):
    type: Literal["visitor"]
    text: str
    # The run that the message was accepted as.
    runId: str
    at: str

class HandoffTranscriptEntriesItem3(TypedDict):
    type: Literal["person"]
    text: str
    # The name that the person shows to the visitor.
    person: str
    at: str

class HandoffTranscriptEntriesItem4(TypedDict):
    """What the visitor left because nobody was there."""
    type: Literal["contact"]
    email: str
    message: str
    at: str

class HandoffTranscript(TypedDict):
    state: Literal["waiting", "taken", "returned", "closed"]
    # Why the agent has the conversation again without a person's decision: outside business hours, nobody answered in time, or the agent's `handoff` was removed.
    cause: NotRequired[Literal["outside_hours", "no_answer", "switched_off"]]
    # Of the last request for a person.
    requestedAt: str
    # Who has it, or had it last.
    person: NotRequired[str]
    # Oldest first; the latest 500.
    entries: list[Union["HandoffTranscriptEntriesItem1", "HandoffTranscriptEntriesItem2", "HandoffTranscriptEntriesItem3", "HandoffTranscriptEntriesItem4"]]

FeedFrame = Union["FeedStateFrame", "FeedMessageFrame", "FeedTypingFrame"]

class ContactBody(TypedDict):
    email: str
    message: str

class GuardrailsInputDenyWords(TypedDict):
    # Words and phrases, matched as whole words without regard to case, width, invisible characters, look-alike letters and Markdown emphasis.
    words: list[str]
    # `mask` replaces each match, `block` ends the answer with `message`, and `hand_off` asks for a person, which requires `handoff` by the model. On the input side every match is also replaced.
    action: Literal["mask", "block", "hand_off"]

class GuardrailsInputPersonalData(TypedDict):
    # Payment cards and IBANs with valid checksums, e-mail addresses, phone numbers.
    kinds: list[Literal["card", "iban", "email", "phone"]]
    # `mask` replaces each match, `block` ends the answer with `message`, and `hand_off` asks for a person, which requires `handoff` by the model. On the input side every match is also replaced.
    action: Literal["mask", "block", "hand_off"]

class GuardrailsInputClassifier(TypedDict):
    provider: Literal["vendor_a", "vendor_b", "vendor_c"]
    # Must be in the tenant's plan; choose a cheap one.
    model: str
    # What is not allowed, in plain words for the model.
    policy: str
    action: Literal["block", "hand_off"]
    # Whether a text that could not be judged counts as not allowed: the model is unreachable, takes over 10 seconds or answers something else. False by default.
    failClosed: NotRequired[bool]

class GuardrailsInput(TypedDict):
    """What users write, before it is stored and before the model reads it."""
    denyWords: NotRequired["GuardrailsInputDenyWords"]
    personalData: NotRequired["GuardrailsInputPersonalData"]
    classifier: NotRequired["GuardrailsInputClassifier"]
    # Shown when the answer ends. A short English sentence by default.
    message: NotRequired[str]

class GuardrailsOutputDenyWords(TypedDict):
    # Words and phrases, matched as whole words without regard to case, width, invisible characters, look-alike letters and Markdown emphasis.
    words: list[str]
    # `mask` replaces each match, `block` ends the answer with `message`, and `hand_off` asks for a person, which requires `handoff` by the model. On the input side every match is also replaced.
    action: Literal["mask", "block", "hand_off"]

class GuardrailsOutputPersonalData(TypedDict):
    # Payment cards and IBANs with valid checksums, e-mail addresses, phone numbers.
    kinds: list[Literal["card", "iban", "email", "phone"]]
    # `mask` replaces each match, `block` ends the answer with `message`, and `hand_off` asks for a person, which requires `handoff` by the model. On the input side every match is also replaced.
    action: Literal["mask", "block", "hand_off"]

class GuardrailsOutputClassifier(TypedDict):
    provider: Literal["vendor_a", "vendor_b", "vendor_c"]
    # Must be in the tenant's plan; choose a cheap one.
    model: str
    # What is not allowed, in plain words for the model.
    policy: str
    action: Literal["block", "hand_off"]
    # Whether a text that could not be judged counts as not allowed: the model is unreachable, takes over 10 seconds or answers something else. False by default.
    failClosed: NotRequired[bool]

class GuardrailsOutput(TypedDict):
    """What the model writes, before it is shown or stored, and the arguments and results of tools in frames. The classifier reads the text only."""
    denyWords: NotRequired["GuardrailsOutputDenyWords"]
    personalData: NotRequired["GuardrailsOutputPersonalData"]
    classifier: NotRequired["GuardrailsOutputClassifier"]
    # Shown when the answer ends. A short English sentence by default.
    message: NotRequired[str]

class Guardrails(TypedDict):
    """Bounds on what goes into the model and what comes out of it."""
    # What users write, before it is stored and before the model reads it.
    input: NotRequired["GuardrailsInput"]
    # What the model writes, before it is shown or stored, and the arguments and results of tools in frames. The classifier reads the text only.
    output: NotRequired["GuardrailsOutput"]

class GuardrailHit(TypedDict):
    side: Literal["input", "output"]
    rule: Literal["card", "iban", "email", "phone", "deny_words", "classifier"]
    # `allow`: the classifier could not judge a text, and the setting lets it pass.
    action: Literal["mask", "block", "hand_off", "allow"]
    count: int
    # The classifier could not judge the text.
    unavailable: NotRequired[bool]

class ErrorEnvelopeDetails(TypedDict):
    """Depends on the code; may have more fields."""
    # For `schema_validation_failed`.
    issues: NotRequired[list["ValidationIssue"]]
    # For a 429, what the limit counts; for `insufficient_scope`, the missing scope.
    scope: NotRequired[str]
    # For a 429, the limit.
    limit: NotRequired[float]
    # For a 429 of a window, its length.
    windowSeconds: NotRequired[float]

class ErrorEnvelope(TypedDict):
    # Stable and machine-readable.
    code: Literal["schema_validation_failed", "invalid_api_key", "session_token_invalid", "use_dpop_nonce", "insufficient_scope", "key_restricted", "address_not_allowed", "origin_not_allowed", "quota_exceeded", "tenant_suspended", "not_found", "method_not_allowed", "run_not_ended", "handoff_conflict", "already_decided", "configuration_locked", "stream_expired", "version_conflict", "payload_too_large", "unsupported_media_type", "idempotency_key_reused", "rate_limit_exceeded", "plan_limit_exceeded", "internal_error", "provider_error", "provider_rate_limited", "service_unavailable", "provider_timeout"]
    # For people; not stable, not to be parsed.
    message: str
    # The HTTP status, mirrored.
    http: int
    # Depends on the code; may have more fields.
    details: NotRequired["ErrorEnvelopeDetails"]

class ValidationIssue(TypedDict):
    # Dotted path of the field; `""` for the body itself.
    path: str
    # The kind of problem; `not_plain_text` for text with a NUL or a lone surrogate.
    code: str
    # For people; not stable.
    message: str

class Health(TypedDict):
    status: Literal["ok"]

class Readiness(TypedDict):
    status: Literal["ok", "unavailable"]

class WidgetInfoPanel(TypedDict):
    """Of the widget: the file that its script loads before the panel opens."""
    # For a policy that lists scripts by their hashes.
    integrity: str
    # Size of the file, uncompressed.
    bytes: int
    # Immutable path of the file.
    pinned: str

class WidgetInfoExtras(TypedDict):
    """Of the widget: the file that the panel loads for what stands below answers."""
    # For a policy that lists scripts by their hashes.
    integrity: str
    # Size of the file, uncompressed.
    bytes: int
    # Immutable path of the file.
    pinned: str

class WidgetInfo(TypedDict):
    # Version in the script's file name.
    version: str
    # Value for the script tag's `integrity`.
    integrity: str
    # Size of the script, uncompressed.
    bytes: int
    # Immutable path of this script.
    pinned: str
    # Of the widget: the file that its script loads before the panel opens.
    panel: NotRequired["WidgetInfoPanel"]
    # Of the widget: the file that the panel loads for what stands below answers.
    extras: NotRequired["WidgetInfoExtras"]

class Conversation(TypedDict):
    # The `conversationId` of its runs.
    id: str
    agentId: str
    # The origin of its page; absent for calls with an API key.
    origin: NotRequired[str]
    # Where it began; absent for conversations of early releases.
    source: NotRequired[Literal["widget", "api", "playground", "share"]]
    # The `visitor.id` that its sessions were minted with.
    visitorId: NotRequired[str]
    createdAt: str
    # When its last run ended.
    updatedAt: str
    # When it is deleted, unless a run is added.
    expiresAt: str
    # All runs, including expired ones.
    runCount: int
    # Cost of its runs, exact to a millionth.
    costUsd: float

class ConversationPage(TypedDict):
    # Most recently active first.
    data: list["Conversation"]
    # The `cursor` of the next page; absent on the last.
    nextCursor: NotRequired[str]

class ConversationRunMessagesItem(TypedDict):
    role: Literal["user", "assistant"]
    content: str
    attachments: NotRequired[list["MessageAttachment"]]
    # Sent by the client as an earlier message; the service has no record of it.
    claimed: bool

class ConversationRunToolCallsItem(TypedDict):
    name: str
    args: "JsonValue"
    # Absent if the run ended earlier.
    output: NotRequired["JsonValue"]

class ConversationRun(TypedDict):
    runId: str
    # The agent's version.
    agentVersion: int
    provider: Literal["vendor_a", "vendor_b", "vendor_c"]
    model: str
    startedAt: str
    endedAt: str
    # Claimed messages that were not stored yet, then the answered message.
    messages: list["ConversationRunMessagesItem"]
    # The assistant's answer.
    text: str
    toolCalls: list["ConversationRunToolCallsItem"]
    # The messages cannot be decrypted, because the encryption key is missing or the record was changed. `messages`, `text` and `toolCalls` are empty.
    unreadable: NotRequired[Literal[True]]
    # The beginning of what the models thought, as far as their providers show it: at most 16,384 characters. No page of a visitor gets it. Absent for nothing.
    reasoning: NotRequired[str]
    inputTokens: int
    outputTokens: int
    # Input tokens that the provider read from its cache; absent for none.
    cachedInputTokens: NotRequired[int]
    # Input tokens that the provider wrote to its cache; absent for none.
    cacheWriteTokens: NotRequired[int]
    # Output tokens that were hidden reasoning; absent for none.
    reasoningTokens: NotRequired[int]
    costUsd: float
    # `interrupted`: the process stopped; the text is what was stored before.
    finishReason: Literal["stop", "length", "content_filter", "max_steps", "max_cost", "timeout", "cancelled", "error", "interrupted"]
    errorCode: NotRequired[Literal["budget_exceeded", "provider_error", "provider_timeout", "provider_rate_limited", "plan_limit_exceeded", "run_interrupted", "internal_error"]]
    # Which of the agent's guardrails acted, and how often; absent if none did.
    guardrails: NotRequired[list["GuardrailHit"]]
    # The format that the message was sent in; absent for the service's own.
    protocol: NotRequired[Literal["native", "ai-sdk-ui", "openai-chat", "openai-responses", "ag-ui", "mcp"]]
    # The run whose answer was asked for again, or whose question was changed.
    replaces: NotRequired[str]
    # Not on the current path: this run was replaced, or it followed one that was. Absent otherwise.
    superseded: NotRequired[Literal[True]]
    # What the visitor thinks of the answer; absent if it is not rated.
    feedback: NotRequired["Feedback"]

class Transcript(TypedDict):
    # The `conversationId` of its runs.
    id: str
    agentId: str
    # The origin of its page; absent for calls with an API key.
    origin: NotRequired[str]
    # Where it began; absent for conversations of early releases.
    source: NotRequired[Literal["widget", "api", "playground", "share"]]
    # The `visitor.id` that its sessions were minted with.
    visitorId: NotRequired[str]
    createdAt: str
    # When its last run ended.
    updatedAt: str
    # When it is deleted, unless a run is added.
    expiresAt: str
    # All runs, including expired ones.
    runCount: int
    # Cost of its runs, exact to a millionth.
    costUsd: float
    # In the order in which they ended.
    runs: list["ConversationRun"]
    # What people and the visitor wrote to each other; on the first page, if anyone asked for a person.
    handoff: NotRequired["HandoffTranscript"]
    # The `cursor` of the next page; absent on the last.
    nextCursor: NotRequired[str]

class FeedbackBody(TypedDict):
    # `up`: the answer helped; `down`: it did not.
    rating: Literal["up", "down"]
    # What the visitor wrote.
    comment: NotRequired[str]
    # What was wrong or right, in words of your own; the dashboard translates `incorrect`, `incomplete`, `off_topic`, `tone` and `other`. Repetitions are stored once.
    reasons: NotRequired[list[str]]

class Feedback(TypedDict):
    # `up`: the answer helped; `down`: it did not.
    rating: Literal["up", "down"]
    comment: NotRequired[str]
    reasons: NotRequired[list[str]]
    # When it was last given.
    ratedAt: str
    # `comment` and `reasons` cannot be decrypted and are absent.
    unreadable: NotRequired[Literal[True]]

class AgentFeedbackDaysItem(TypedDict):
    day: str
    up: int
    down: int

class AgentFeedback(TypedDict):
    agentId: str
    # Answers of these days that are rated up.
    up: int
    # Answers of these days that are rated down.
    down: int
    # Days with rated answers, in order. A rating counts on the day its answer ended.
    days: list["AgentFeedbackDaysItem"]

class NewPublication1(TypedDict):
    mode: Literal["automatic"]

class NewPublication2(TypedDict):
    mode: Literal["manual"]
    # The version to publish; by default the one that visitors have now.
    version: NotRequired[int]

NewPublication = Union["NewPublication1", "NewPublication2"]

class PublicationCanaryLimits(TypedDict):
    """Past any of these the canary is rolled back."""
    # The canary's answers before a limit of errors or cost counts.
    minAnswers: NotRequired[int]
    # Of its answers, those that ended with an error.
    errorPercent: NotRequired[float]
    # Of its rated answers, those that were rated down; counts from 5 ratings on.
    downPercent: NotRequired[float]
    # An answer's average cost, in percent of the published version's.
    costPercent: NotRequired[float]

class PublicationCanaryAnswersCanary(TypedDict):
    # That began with the version.
    conversations: int
    answers: int
    # Answers that ended with an error.
    errors: int
    # Answers rated up.
    up: int
    # Answers rated down.
    down: int
    # Exact to a millionth.
    costUsd: float
    # Of all answers together.
    durationMs: int

class PublicationCanaryAnswersPublished(TypedDict):
    # That began with the version.
    conversations: int
    answers: int
    # Answers that ended with an error.
    errors: int
    # Answers rated up.
    up: int
    # Answers rated down.
    down: int
    # Exact to a millionth.
    costUsd: float
    # Of all answers together.
    durationMs: int

class PublicationCanaryAnswers(TypedDict):
    """Since it started, of the conversations that it divides."""
    canary: "PublicationCanaryAnswersCanary"
    published: "PublicationCanaryAnswersPublished"

class PublicationCanary(TypedDict):
    """The version that a share of new conversations gets."""
    version: int
    percent: int
    # Past any of these the canary is rolled back.
    limits: "PublicationCanaryLimits"
    startedAt: str
    # Since it started, of the conversations that it divides.
    answers: "PublicationCanaryAnswers"

class PublicationLastCanaryLimits(TypedDict):
    """Past any of these the canary is rolled back."""
    # The canary's answers before a limit of errors or cost counts.
    minAnswers: NotRequired[int]
    # Of its answers, those that ended with an error.
    errorPercent: NotRequired[float]
    # Of its rated answers, those that were rated down; counts from 5 ratings on.
    downPercent: NotRequired[float]
    # An answer's average cost, in percent of the published version's.
    costPercent: NotRequired[float]

class PublicationLastCanaryAnswersCanary(TypedDict):
    # That began with the version.
    conversations: int
    answers: int
    # Answers that ended with an error.
    errors: int
    # Answers rated up.
    up: int
    # Answers rated down.
    down: int
    # Exact to a millionth.
    costUsd: float
    # Of all answers together.
    durationMs: int

class PublicationLastCanaryAnswersPublished(TypedDict):
    # That began with the version.
    conversations: int
    answers: int
    # Answers that ended with an error.
    errors: int
    # Answers rated up.
    up: int
    # Answers rated down.
    down: int
    # Exact to a millionth.
    costUsd: float
    # Of all answers together.
    durationMs: int

class PublicationLastCanaryAnswers(TypedDict):
    """Since it started, of the conversations that it divides."""
    canary: "PublicationLastCanaryAnswersCanary"
    published: "PublicationLastCanaryAnswersPublished"

class PublicationLastCanary(TypedDict):
    version: int
    percent: int
    # Past any of these the canary is rolled back.
    limits: "PublicationLastCanaryLimits"
    startedAt: str
    # Since it started, of the conversations that it divides.
    answers: "PublicationLastCanaryAnswers"
    endedAt: str
    outcome: Literal["published", "stopped", "rolled_back"]
    # Which limit it was rolled back for.
    reason: NotRequired[Literal["errors", "ratings", "cost"]]

class Publication(TypedDict):
    # `automatic`: visitors get each version as it is saved. `manual`: saving makes a draft, and visitors keep the published version.
    mode: Literal["automatic", "manual"]
    # The version that visitors get.
    version: int
    # The version that was saved last: a draft, if it is newer.
    latestVersion: int
    # What was published before.
    previousVersion: NotRequired[int]
    # Absent if it was never changed.
    changedAt: NotRequired[str]
    # What a version must pass before it is published.
    gate: NotRequired["PublishGate"]
    # The version that a share of new conversations gets.
    canary: NotRequired["PublicationCanary"]
    lastCanary: NotRequired["PublicationLastCanary"]

class NewCanaryLimits(TypedDict):
    """By default at most 10 % errors in 20 answers."""
    # The canary's answers before a limit of errors or cost counts.
    minAnswers: NotRequired[int]
    # Of its answers, those that ended with an error.
    errorPercent: NotRequired[float]
    # Of its rated answers, those that were rated down; counts from 5 ratings on.
    downPercent: NotRequired[float]
    # An answer's average cost, in percent of the published version's.
    costPercent: NotRequired[float]

class NewCanary(TypedDict):
    version: int
    # The share of new conversations that get the version.
    percent: int
    # By default at most 10 % errors in 20 answers.
    limits: NotRequired["NewCanaryLimits"]

class PublishGate(TypedDict):
    # A version is published only if its latest complete run of this test set passed, with the cases as they are now.
    testSetId: str

class NewRehearsal(TypedDict):
    # The version to try; by default the latest.
    version: NotRequired[int]
    # How many of the agent's latest runs are replayed, at most.
    runs: NotRequired[int]
    # `with_tools`: runs that called a tool. `rated_down`: runs that visitors rated down.
    only: NotRequired[Literal["all", "with_tools", "rated_down"]]
    # What it may cost. The amount is set aside before it begins, within the tenant's day; it ends when the amount is used up, and what is left is free again.
    budgetUsd: float

class RehearsalBefore(TypedDict):
    """The recorded answers of the replayed runs."""
    # Exact to a millionth.
    costUsd: float
    # Of all answers together, milliseconds.
    latencyMs: int

class RehearsalAfter(TypedDict):
    """Their replays: what the rehearsal has cost."""
    # Exact to a millionth.
    costUsd: float
    # Of all answers together, milliseconds.
    latencyMs: int

class Rehearsal(TypedDict):
    id: str
    agentId: str
    # The version that is tried.
    version: int
    only: Literal["all", "with_tools", "rated_down"]
    # `interrupted`: its process ended. `out_of_budget`: its budget was used up.
    state: Literal["running", "done", "stopped", "out_of_budget", "interrupted"]
    # How many runs were found to replay.
    runs: int
    # How many of them were replayed.
    done: int
    # Answers with other words.
    changed: int
    # Answers from other documents.
    changedSources: int
    # Tool calls that the recorded runs did not make. They were not made either: the model was informed that there is no result.
    differingCalls: int
    # Replays that ended with an error.
    failed: int
    # The recorded answers of the replayed runs.
    before: "RehearsalBefore"
    # Their replays: what the rehearsal has cost.
    after: "RehearsalAfter"
    budgetUsd: float
    createdAt: str
    endedAt: NotRequired[str]
    # When it is deleted.
    expiresAt: str

class RehearsalPage(TypedDict):
    # Newest first.
    data: list["Rehearsal"]
    # The `cursor` of the next page; absent on the last.
    nextCursor: NotRequired[str]

class RehearsalReportBefore(TypedDict):
    """The recorded answers of the replayed runs."""
    # Exact to a millionth.
    costUsd: float
    # Of all answers together, milliseconds.
    latencyMs: int

class RehearsalReportAfter(TypedDict):
    """Their replays: what the rehearsal has cost."""
    # Exact to a millionth.
    costUsd: float
    # Of all answers together, milliseconds.
    latencyMs: int

class RehearsalReport(TypedDict):
    id: str
    agentId: str
    # The version that is tried.
    version: int
    only: Literal["all", "with_tools", "rated_down"]
    # `interrupted`: its process ended. `out_of_budget`: its budget was used up.
    state: Literal["running", "done", "stopped", "out_of_budget", "interrupted"]
    # How many runs were found to replay.
    runs: int
    # How many of them were replayed.
    done: int
    # Answers with other words.
    changed: int
    # Answers from other documents.
    changedSources: int
    # Tool calls that the recorded runs did not make. They were not made either: the model was informed that there is no result.
    differingCalls: int
    # Replays that ended with an error.
    failed: int
    # The recorded answers of the replayed runs.
    before: "RehearsalReportBefore"
    # Their replays: what the rehearsal has cost.
    after: "RehearsalReportAfter"
    budgetUsd: float
    createdAt: str
    endedAt: NotRequired[str]
    # When it is deleted.
    expiresAt: str
    # In the order in which they ended. Those of deleted conversations are gone.
    results: list["RehearsedRun"]
    # The `cursor` of the next page; absent on the last.
    nextCursor: NotRequired[str]

class RehearsedRun(TypedDict):
    runId: str
    conversationId: str
    # The version that had answered.
    agentVersion: int
    # At most 4,000 characters.
    question: str
    # The words cannot be decrypted; the texts and calls are empty.
    unreadable: NotRequired[Literal[True]]
    before: "RehearsedAnswer"
    after: "RehearsedAnswer"

class RehearsedAnswer(TypedDict):
    # At most 16,000 characters.
    text: str
    # Long arguments and outputs are left out.
    calls: list["RehearsedCall"]
    # The titles of the documents that the answer draws on.
    sources: list[str]
    costUsd: float
    latencyMs: int
    finishReason: Literal["stop", "length", "content_filter", "max_steps", "max_cost", "timeout", "cancelled", "error", "interrupted"]
    errorCode: NotRequired[str]

class RehearsedCall(TypedDict):
    name: str
    args: "JsonValue"
    # Absent if the run ended earlier.
    output: NotRequired["JsonValue"]
    # The recorded run made no such call.
    differs: NotRequired[Literal[True]]

class TestJudge(TypedDict):
    """The model that grades answers. It is paid from the run's budget."""
    provider: Literal["vendor_a", "vendor_b", "vendor_c"]
    model: str

class TestSetBody(TypedDict):
    name: str
    # The agent that runs ask, unless they name another.
    agentId: str
    # The share of the cases that must pass, from 0 to 1.
    threshold: NotRequired[float]
    judge: NotRequired["TestJudge"]
    # The most that one run may cost. The amount is set aside before it begins, within the tenant's day.
    budgetUsd: NotRequired[float]

class TestSetPatch(TypedDict):
    name: NotRequired[str]
    # The agent that runs ask, unless they name another.
    agentId: NotRequired[str]
    # The share of the cases that must pass, from 0 to 1.
    threshold: NotRequired[float]
    judge: NotRequired[Union["TestJudge", None]]
    # The most that one run may cost. The amount is set aside before it begins, within the tenant's day.
    budgetUsd: NotRequired[float]

class TestSet(TypedDict):
    id: str
    name: str
    # The agent that runs ask, unless they name another.
    agentId: str
    # The share of the cases that must pass, from 0 to 1.
    threshold: float
    judge: NotRequired["TestJudge"]
    budgetUsd: float
    cases: int
    # Grows with every change of the cases: a run with another one is of other cases.
    casesRevision: int
    # Also the `ETag`; grows with each change of the set.
    version: int
    createdAt: str
    updatedAt: str

class TestSetPage(TypedDict):
    # Newest first.
    data: list["TestSet"]
    # The `cursor` of the next page; absent on the last.
    nextCursor: NotRequired[str]

Expectation = Union["ContainsExpectation", "NotContainsExpectation", "CitesDocumentExpectation", "CallsToolExpectation", "JsonSchemaExpectation", "JudgedExpectation"]

class ContainsExpectation(TypedDict):
    type: Literal["contains"]
    text: str
    # Default: `false`.
    caseSensitive: NotRequired[bool]

class NotContainsExpectation(TypedDict):
    type: Literal["not_contains"]
    text: str
    # Default: `false`.
    caseSensitive: NotRequired[bool]

class CitesDocumentExpectation(TypedDict):
    """The answer draws on this document. With both, both must match."""
    type: Literal["cites_document"]
    documentId: NotRequired[str]
    # The document's whole title; case does not matter.
    title: NotRequired[str]

class CallsToolExpectation(TypedDict):
    type: Literal["calls_tool"]
    name: str
    # A part of the arguments: other fields may have any value.
    arguments: NotRequired[dict[str, "JsonValue"]]

class JsonSchemaExpectation(TypedDict):
    """The answer is JSON, and valid."""
    type: Literal["json_schema"]
    # A JSON Schema (2020-12 or draft 7) of at most 16 KiB.
    schema: dict[str, "JsonValue"]

class JudgedExpectation(TypedDict):
    """The test set's `judge` grades the answer by a rubric, with a score from 0 to 10."""
    type: Literal["judged"]
    rubric: str
    # The minimum score that passes; without it the judge decides.
    minScore: NotRequired[int]

class TestTurn(TypedDict):
    role: Literal["user", "assistant"]
    content: str

class TestToolResult(TypedDict):
    name: str
    # Only for a call with these arguments; else for any.
    arguments: NotRequired[dict[str, "JsonValue"]]
    output: "JsonValue"

class TestCaseBody(TypedDict):
    name: NotRequired[str]
    question: str
    # The turns before the question.
    history: NotRequired[list["TestTurn"]]
    # All must be met. With `[]`, any answer without an error passes.
    expectations: list["Expectation"]
    # What tools answer. No tool is executed but `search_knowledge`; without a result here, the model is informed that the call was not executed.
    toolResults: NotRequired[list["TestToolResult"]]
    tags: NotRequired[list[str]]
    # Whether runs ask it.
    enabled: NotRequired[bool]

class NewTestCases(TypedDict):
    cases: list["TestCaseBody"]

class TestCaseSource(TypedDict):
    # An ended run of a stored conversation.
    runId: str

class NewTestCaseIds(TypedDict):
    # In the order of the cases.
    ids: list[str]

class TestCase(TypedDict):
    id: str
    name: NotRequired[str]
    question: str
    # The turns before the question.
    history: NotRequired[list["TestTurn"]]
    # All must be met. With `[]`, any answer without an error passes.
    expectations: list["Expectation"]
    # What tools answer. No tool is executed but `search_knowledge`; without a result here, the model is informed that the call was not executed.
    toolResults: NotRequired[list["TestToolResult"]]
    tags: NotRequired[list[str]]
    enabled: bool
    createdAt: str
    updatedAt: str

class TestCasePage(TypedDict):
    # Oldest first.
    data: list["TestCase"]
    # The `cursor` of the next page; absent on the last.
    nextCursor: NotRequired[str]

class NewTestRun(TypedDict):
    # By default the test set's agent.
    agentId: NotRequired[str]
    # `published` is what visitors get, `draft` what was saved last.
    version: NotRequired[Union[int, Literal["published", "draft"]]]
    # By default the test set's.
    threshold: NotRequired[float]
    # By default the test set's.
    budgetUsd: NotRequired[float]

class TestRun(TypedDict):
    id: str
    testSetId: str
    agentId: str
    version: int
    # The test set's when the run began.
    casesRevision: int
    # `out_of_budget`: its budget was used up. `interrupted`: its process ended; it can be resumed.
    state: Literal["running", "done", "stopped", "out_of_budget", "interrupted"]
    # The enabled cases when it began.
    cases: int
    passed: int
    failed: int
    # The agent or the judge did not answer.
    errored: int
    notRun: int
    # Of all cases, those that passed.
    share: float
    # The share of the cases that must pass, from 0 to 1.
    threshold: float
    # Whether every case was run and the share reaches the threshold; absent while it runs.
    isPassed: NotRequired[bool]
    judge: NotRequired["TestJudge"]
    # Of agent and judge, exact to a millionth.
    costUsd: float
    # Of all answers together, milliseconds.
    latencyMs: int
    budgetUsd: float
    createdAt: str
    endedAt: NotRequired[str]

class TestRunPage(TypedDict):
    # Newest first.
    data: list["TestRun"]
    # The `cursor` of the next page; absent on the last.
    nextCursor: NotRequired[str]

class TestCheck(TypedDict):
    # The expectation's.
    type: str
    # The expectation in short.
    expected: str
    passed: bool
    # The judge's, from 0 to 10.
    score: NotRequired[int]
    # Why it is not met, or what the judge says.
    reason: NotRequired[str]

class TestCall(TypedDict):
    name: str
    args: "JsonValue"
    # Absent if the run ended earlier.
    output: NotRequired["JsonValue"]
    # The case has no result for it.
    notExecuted: NotRequired[Literal[True]]

class TestSource(TypedDict):
    documentId: str
    title: str

class TestResult(TypedDict):
    name: NotRequired[str]
    question: str
    # At most 8,000 characters.
    answer: str
    # At most 8. Long arguments and outputs are shortened.
    calls: list["TestCall"]
    # The documents that the answer draws on.
    sources: list["TestSource"]
    checks: list["TestCheck"]
    caseId: str
    outcome: Literal["passed", "failed", "errored"]
    # The words cannot be decrypted; the texts are empty.
    unreadable: NotRequired[Literal[True]]
    costUsd: float
    latencyMs: int
    finishReason: Literal["stop", "length", "content_filter", "max_steps", "max_cost", "timeout", "cancelled", "error"]
    errorCode: NotRequired[str]

class TestResultPage(TypedDict):
    # In the order of the cases.
    data: list["TestResult"]
    # The `cursor` of the next page; absent on the last.
    nextCursor: NotRequired[str]

class ChangedCase(TypedDict):
    caseId: str
    name: NotRequired[str]
    # At most 200 characters.
    question: str
    before: Literal["passed", "failed", "errored"]
    after: Literal["passed", "failed", "errored"]

class TestComparison(TypedDict):
    before: "TestRun"
    after: "TestRun"
    # Passed before, and do not now.
    newlyFailed: list["ChangedCase"]
    # Did not pass before, and do now.
    newlyPassed: list["ChangedCase"]
    # Cases that only one of the runs has reached.
    otherCases: int
    # How much more this run costs than the other; negative for less.
    costUsd: float
    # The same for the time of all answers.
    latencyMs: int

class UnansweredGroupReasons(TypedDict):
    """How many of the questions have each reason; one may have several."""
    nothing_found: int
    little_found: int
    rated_down: int
    handed_off: int

class UnansweredGroup(TypedDict):
    # The run of the latest question. Every run of the group names the group.
    id: str
    agentId: str
    # The most typical question; empty if none can be decrypted.
    question: str
    # How often it was asked.
    count: int
    # How many of the questions have each reason; one may have several.
    reasons: "UnansweredGroupReasons"
    firstAt: str
    lastAt: str
    # `written`: a document was made. `answered`: it helped when the questions were asked again. New questions open a dismissed or an answered group again.
    state: Literal["open", "written", "answered", "dismissed"]
    knowledgeBaseId: NotRequired[str]
    # The document that was made as an answer.
    documentId: NotRequired[str]

class UnansweredPage(TypedDict):
    # The most frequent first.
    data: list["UnansweredGroup"]
    # The `cursor` of the next page; absent on the last.
    nextCursor: NotRequired[str]

class UnansweredQuestion(TypedDict):
    runId: str
    conversationId: str
    question: str
    reasons: list[Literal["nothing_found", "little_found", "rated_down", "handed_off"]]
    at: str
    # What became of it when it was asked again.
    again: NotRequired["AskedAgain"]

class UnansweredReportReasons(TypedDict):
    """How many of the questions have each reason; one may have several."""
    nothing_found: int
    little_found: int
    rated_down: int
    handed_off: int

class UnansweredReport(TypedDict):
    # The run of the latest question. Every run of the group names the group.
    id: str
    agentId: str
    # The most typical question; empty if none can be decrypted.
    question: str
    # How often it was asked.
    count: int
    # How many of the questions have each reason; one may have several.
    reasons: "UnansweredReportReasons"
    firstAt: str
    lastAt: str
    # `written`: a document was made. `answered`: it helped when the questions were asked again. New questions open a dismissed or an answered group again.
    state: Literal["open", "written", "answered", "dismissed"]
    knowledgeBaseId: NotRequired[str]
    # The document that was made as an answer.
    documentId: NotRequired[str]
    # The questions are being asked again.
    asking: bool
    # The latest 50, newest first.
    questions: list["UnansweredQuestion"]

class AskedAgain(TypedDict):
    # The answer of the conversation.
    before: str
    after: str
    # The titles of the documents that the new answer draws on.
    sources: list[str]
    # Absent if nothing was searched.
    coverage: NotRequired[Literal["nothing", "little", "enough"]]
    # The new document is among the passages that were found.
    foundDocument: bool
    finishReason: Literal["stop", "length", "content_filter", "max_steps", "max_cost", "timeout", "cancelled", "error"]
    costUsd: float
    at: str

class WrittenAnswer(TypedDict):
    title: str
    content: str
    # Where the document is stored; by default the base of the agent.
    knowledgeBaseId: NotRequired[str]

class RunSeal(TypedDict):
    statement: "SealStatement"
    # 16 random bytes in base64url, without which nothing can be guessed from the digests.
    nonce: str
    # The key that signed it: one of `GET /v1/seal-keys`.
    keyId: str
    # Ed25519, in base64url, over `agent-chat run seal v1`, a line feed and the statement's canonical JSON.
    signature: str

class SealStatement(TypedDict):
    v: Literal[1]
    runId: str
    conversationId: str
    # The run's number in its stored conversation, from 0 and without gaps; absent if it is not stored.
    number: NotRequired[int]
    agentId: str
    agentVersion: int
    # SHA-256 of the agent's version: of its canonical JSON (RFC 8785) without `id`, `version`, `createdAt` and `updatedAt`. Absent if the process of the run died.
    agentDigest: NotRequired[str]
    provider: Literal["vendor_a", "vendor_b", "vendor_c"]
    model: str
    startedAt: str
    endedAt: str
    finishReason: Literal["stop", "length", "content_filter", "max_steps", "max_cost", "timeout", "cancelled", "error", "interrupted"]
    errorCode: NotRequired[Literal["budget_exceeded", "provider_error", "provider_timeout", "provider_rate_limited", "plan_limit_exceeded", "run_interrupted", "internal_error"]]
    inputTokens: int
    outputTokens: int
    # What the run was charged.
    costUsd: float
    # SHA-256 of the nonce and the canonical JSON of the answered message: `role`, `content`, and the ids in `attachments`, if it has some. Absent if the message was lost with its process.
    question: NotRequired[str]
    # How many frames the run has.
    frames: int
    # The head of their chain: h(0) is the nonce, and h(n) is SHA-256 of h(n-1) and the canonical JSON of frame n.
    head: str

class SealKey(TypedDict):
    kty: Literal["OKP"]
    crv: Literal["Ed25519"]
    x: str
    kid: str

class SealKeys(TypedDict):
    # Oldest first; the last one signs.
    keys: list["SealKey"]

SealedExportLine = Union["SealedExportHead", "SealedRun", "SealedExportEnd"]

class SealedExportHead(TypedDict):
    type: Literal["export"]
    v: Literal[1]
    exportedAt: str
    conversation: "Conversation"

class SealedRun(TypedDict):
    type: Literal["run"]
    runId: str
    question: NotRequired["SealedQuestion"]
    # Absent if they were not stored, or are unreadable.
    frames: NotRequired[list["Frame"]]
    # Absent for runs of early releases.
    seal: NotRequired["RunSeal"]

class SealedQuestion(TypedDict):
    role: Literal["user"]
    content: str
    attachments: NotRequired[list["MessageAttachment"]]

class SealedExportEnd(TypedDict):
    type: Literal["end"]
    # The number of lines before this one.
    lines: int
    # SHA-256 of all bytes before this line.
    digest: str
    # The installation's keys.
    keys: list["SealKey"]
    # The key that signed it: one of `GET /v1/seal-keys`.
    keyId: str
    # Ed25519, in base64url, over `agent-chat export v1`, a line feed and the canonical JSON of the other fields.
    signature: str

class CallDecision(TypedDict):
    # Whether the call may be made.
    approve: bool

class CallOutput1(TypedDict):
    # Must match the tool's `output`; at most 256 KiB as JSON.
    output: "JsonValue"

class CallOutput2(TypedDict):
    # Why there is no output, for the model.
    error: str

CallOutput = Union["CallOutput1", "CallOutput2"]

class OwnConversation(TypedDict):
    # To be sent as `conversationId`.
    id: str
    # The first question, cut at a word to 80 characters, or the chosen title.
    title: NotRequired[str]
    createdAt: str
    # When its last answer ended.
    updatedAt: str
    # Questions and answers, with expired and replaced ones; without claimed messages.
    messageCount: int

class OwnConversationPage(TypedDict):
    # Most recently active first.
    data: list["OwnConversation"]
    # The `cursor` of the next page; absent on the last.
    nextCursor: NotRequired[str]

class OwnMessageSourcesItem(TypedDict):
    title: str
    # Set if the title is an address.
    url: NotRequired[str]
    # Always `true`. Earlier releases also listed documents that were only found.
    used: NotRequired[Literal[True]]
    # A passage that the answer draws on.
    text: NotRequired[str]

class OwnMessage(TypedDict):
    role: Literal["user", "assistant"]
    content: str
    # The run that the message belongs to.
    runId: str
    # When the run started; of an answer, when it ended.
    createdAt: str
    # Sent by the client as an earlier message; the service has no record of it.
    claimed: NotRequired[Literal[True]]
    # Of a question: the files that were sent with it.
    attachments: NotRequired[list["MessageAttachment"]]
    # The documents that an answer draws on, each once.
    sources: NotRequired[list["OwnMessageSourcesItem"]]
    # Of an answer: anything but `stop` may have cut it short.
    finishReason: NotRequired[Literal["stop", "length", "content_filter", "max_steps", "max_cost", "timeout", "cancelled", "error", "interrupted"]]
    # The run that this message's run replaces: the answer was asked for again, or the question changed.
    replaces: NotRequired[str]
    # Not on the current path: the message's run was replaced, or it followed one that was.
    superseded: NotRequired[Literal[True]]

class OwnTranscript(TypedDict):
    # To be sent as `conversationId`.
    id: str
    # The first question, cut at a word to 80 characters, or the chosen title.
    title: NotRequired[str]
    createdAt: str
    # When its last answer ended.
    updatedAt: str
    # Questions and answers, with expired and replaced ones; without claimed messages.
    messageCount: int
    # The oldest first. Without those that are `superseded` they are the current path.
    messages: list["OwnMessage"]
    # The run whose answer is being written: its question is the last message, and `GET /v1/chat/runs/{runId}/stream` has the answer. On the last page.
    activeRunId: NotRequired[str]
    # The `cursor` of the next page; absent on the last.
    nextCursor: NotRequired[str]

class RenameConversationBody(TypedDict):
    title: str

class VisitorErasure(TypedDict):
    # Of the erasure: it does not say whose data it deletes.
    id: str
    state: Literal["running", "done"]
    requestedAt: str
    # Absent while it is running.
    finishedAt: NotRequired[str]

class VisitorProgress(TypedDict):
    # Stored conversations, with all agents.
    conversations: int
    # The erasure in progress; absent if there is none, or it has finished.
    erasure: NotRequired["VisitorErasure"]

class KnowledgeBase(TypedDict):
    # The value of an agent's `knowledgeBaseId`.
    id: str
    name: str
    description: NotRequired[str]
    # The language of most documents (ISO 639-1). Used for texts that are too short to detect their language; by default the language of most of the base.
    language: NotRequired[Literal["ar", "bg", "da", "de", "el", "en", "es", "fi", "fr", "hi", "hu", "id", "it", "lt", "ne", "nl", "no", "pl", "pt", "ro", "ru", "sr", "sv", "ta", "tr", "uk"]]
    # Documents in any state.
    documentCount: int
    # Searchable passages.
    chunkCount: int
    # For `If-Match`; grows with each change of the base itself, not with those of its documents.
    version: int
    createdAt: str
    # When it or one of its documents last changed.
    updatedAt: str

class KnowledgeBaseBody(TypedDict):
    name: str
    description: NotRequired[str]
    # The language of most documents (ISO 639-1). Used for texts that are too short to detect their language; by default the language of most of the base.
    language: NotRequired[Literal["ar", "bg", "da", "de", "el", "en", "es", "fi", "fr", "hi", "hu", "id", "it", "lt", "ne", "nl", "no", "pl", "pt", "ro", "ru", "sr", "sv", "ta", "tr", "uk"]]

class KnowledgeBasePatch(TypedDict):
    name: NotRequired[str]
    # An empty one removes it.
    description: NotRequired[str]
    # `null` removes it.
    language: NotRequired[Union[Literal["ar", "bg", "da", "de", "el", "en", "es", "fi", "fr", "hi", "hu", "id", "it", "lt", "ne", "nl", "no", "pl", "pt", "ro", "ru", "sr", "sv", "ta", "tr", "uk"], None]]

class KnowledgeBasePage(TypedDict):
    # Newest first.
    data: list["KnowledgeBase"]
    # The `cursor` of the next page; absent on the last.
    nextCursor: NotRequired[str]

class DocumentError(TypedDict):
    """Why processing failed."""
    code: str
    message: str

class Document(TypedDict):
    id: str
    title: str
    # The detected type.
    mediaType: Literal["text/plain", "text/markdown", "text/html", "text/csv", "application/pdf", "application/vnd.openxmlformats-officedocument.wordprocessingml.document", "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet", "application/vnd.openxmlformats-officedocument.presentationml.presentation", "application/vnd.oasis.opendocument.text", "application/epub+zip", "application/octet-stream"]
    # Size of the upload.
    bytes: int
    # Of the upload, in hexadecimal; absent for documents of early releases.
    sha256: NotRequired[str]
    # Only `ready` documents can be searched.
    state: Literal["processing", "ready", "failed"]
    # Why processing failed.
    error: NotRequired["DocumentError"]
    # The web page that it was read from.
    url: NotRequired[str]
    # The website source that found the page.
    sourceId: NotRequired[str]
    createdAt: str
    updatedAt: str

class DocumentBody(TypedDict):
    title: str
    content: str
    # A hint; the type is detected from the content.
    mediaType: NotRequired[Literal["text/plain", "text/markdown", "text/html", "text/csv"]]

class DocumentForm(TypedDict):
    # A PDF, DOCX, XLSX, PPTX, ODT, EPUB, CSV, HTML, Markdown or text file of at most 20 MiB.
    file: str
    # By default the name of the file.
    title: NotRequired[str]

class DocumentPage(TypedDict):
    # Newest first.
    data: list["Document"]
    # The `cursor` of the next page; absent on the last.
    nextCursor: NotRequired[str]

class SearchBody(TypedDict):
    query: str
    # Maximum passages; 5 by default.
    limit: NotRequired[int]

class Passage(TypedDict):
    documentId: str
    # The document's title.
    title: str
    # The web page that it was read from.
    url: NotRequired[str]
    # The headings above it, outermost first.
    headingPath: list[str]
    # Index in the document, from 0.
    position: int
    text: str
    # Higher is better; only the order is meaningful.
    score: float

class FoundPassages(TypedDict):
    # Best match first.
    passages: list["Passage"]

class WebSourceProgress(TypedDict):
    """Of the crawl in progress."""
    added: int
    changed: int
    unchanged: int
    # Pages that are gone.
    removed: int
    # Pages that are no documents.
    skipped: int
    # Pages that could not be read. Their earlier content stays.
    failed: int

class WebSourceLastCrawlCounts(TypedDict):
    added: int
    changed: int
    unchanged: int
    # Pages that are gone.
    removed: int
    # Pages that are no documents.
    skipped: int
    # Pages that could not be read. Their earlier content stays.
    failed: int

class WebSourceLastCrawl(TypedDict):
    startedAt: str
    endedAt: str
    counts: "WebSourceLastCrawlCounts"
    # Whether there are more pages than `maxPages`.
    leftOut: bool
    # Why it ended early: address_not_allowed, robots_unavailable, site_unavailable, no_sitemap, out_of_time, full, interrupted.
    error: NotRequired[str]

class WebSource(TypedDict):
    id: str
    url: str
    kind: Literal["page", "sitemap", "site"]
    maxPages: int
    schedule: Literal["off", "daily", "weekly"]
    # `waiting` for a process to begin the crawl.
    state: Literal["waiting", "crawling", "idle"]
    # Of the crawl in progress.
    progress: NotRequired["WebSourceProgress"]
    lastCrawl: NotRequired["WebSourceLastCrawl"]
    nextCrawlAt: NotRequired[str]
    createdAt: str

class WebSourceBody(TypedDict):
    # The page, the sitemap, or the page to start from. Only its host is asked.
    url: str
    # `page` reads one page, `sitemap` those listed, `site` follows links.
    kind: Literal["page", "sitemap", "site"]
    # 100 by default; one for a `page`.
    maxPages: NotRequired[int]
    # How often the pages are read again.
    schedule: NotRequired[Literal["off", "daily", "weekly"]]

class WebSourcePatch(TypedDict):
    maxPages: NotRequired[int]
    # How often the pages are read again.
    schedule: NotRequired[Literal["off", "daily", "weekly"]]

class WebSourceList(TypedDict):
    # Oldest first.
    data: list["WebSource"]

class WebSourceReportProgress(TypedDict):
    """Of the crawl in progress."""
    added: int
    changed: int
    unchanged: int
    # Pages that are gone.
    removed: int
    # Pages that are no documents.
    skipped: int
    # Pages that could not be read. Their earlier content stays.
    failed: int

class WebSourceReportLastCrawlCounts(TypedDict):
    added: int
    changed: int
    unchanged: int
    # Pages that are gone.
    removed: int
    # Pages that are no documents.
    skipped: int
    # Pages that could not be read. Their earlier content stays.
    failed: int

class WebSourceReportLastCrawl(TypedDict):
    startedAt: str
    endedAt: str
    counts: "WebSourceReportLastCrawlCounts"
    # Whether there are more pages than `maxPages`.
    leftOut: bool
    # Why it ended early: address_not_allowed, robots_unavailable, site_unavailable, no_sitemap, out_of_time, full, interrupted.
    error: NotRequired[str]

class WebSourceReport(TypedDict):
    id: str
    url: str
    kind: Literal["page", "sitemap", "site"]
    maxPages: int
    schedule: Literal["off", "daily", "weekly"]
    # `waiting` for a process to begin the crawl.
    state: Literal["waiting", "crawling", "idle"]
    # Of the crawl in progress.
    progress: NotRequired["WebSourceReportProgress"]
    lastCrawl: NotRequired["WebSourceReportLastCrawl"]
    nextCrawlAt: NotRequired[str]
    createdAt: str
    # In no particular order.
    pages: list["WebPage"]
    # The `cursor` of the next page; absent on the last.
    nextCursor: NotRequired[str]

class WebPage(TypedDict):
    url: str
    # `failed` pages could not be read in the last crawl; their document, if any, stays.
    state: Literal["stored", "skipped", "failed"]
    reason: NotRequired[Literal["robots", "noindex", "canonical", "duplicate", "other_host", "redirects", "type", "too_large", "gone", "status", "timeout", "unreachable", "unreadable", "full"]]
    # The HTTP status, if there was a response.
    status: NotRequired[int]
    documentId: NotRequired[str]
    title: NotRequired[str]
    checkedAt: str

class ConfigurationLockBody(TypedDict):
    # The client chooses it and sends it with each change.
    id: str
    # For people who find the configuration locked.
    note: NotRequired[str]
    # Replaces a lock that another holds; its changes are rejected from then on. Default: `false`.
    takeOver: NotRequired[bool]

class ConfigurationLock(TypedDict):
    note: NotRequired[str]
    createdAt: str
    # Each change that names the lock extends it.
    expiresAt: str

class KeyedResource(TypedDict):
    kind: Literal["agents", "knowledge-bases", "test-sets"]
    # Unique in the tenant and kind; stays when the resource is renamed.
    key: str
    id: str

class KeyedResourcePage(TypedDict):
    # By kind and key.
    data: list["KeyedResource"]
    # The `cursor` of the next page; absent on the last.
    nextCursor: NotRequired[str]

class ConfiguredResource(TypedDict):
    kind: Literal["agents", "knowledge-bases", "test-sets"]
    # Unique in the tenant and kind; stays when the resource is renamed.
    key: str
    id: str
    # Of the resource; also the `ETag`.
    version: int

ResourceBody = Union["AgentBody", "KnowledgeBaseBody", "TestSetBody"]

class ConfigurationCheckBodyAgentsItem(TypedDict):
    # The stored resource that the body would replace.
    id: NotRequired[str]
    body: dict[str, Any]

class ConfigurationCheckBodyTestSetsItem(TypedDict):
    # The stored resource that the body would replace.
    id: NotRequired[str]
    body: dict[str, Any]

class ConfigurationCheckBody(TypedDict):
    agents: NotRequired[list["ConfigurationCheckBodyAgentsItem"]]
    testSets: NotRequired[list["ConfigurationCheckBodyTestSetsItem"]]

class ConfigurationCheck(TypedDict):
    # Empty if all of it can be stored. A `path` begins like `agents.0.`.
    issues: list["ValidationIssue"]

class UsageReportDaysItem(TypedDict):
    # Cost, exact to a millionth.
    costUsd: float
    # Runs that have ended.
    runs: int
    # Answered messages, one per run.
    messages: int
    inputTokens: int
    outputTokens: int
    # Input tokens that providers read from their caches; absent for none.
    cachedInputTokens: NotRequired[int]
    # Input tokens that providers wrote to their caches; absent for none.
    cacheWriteTokens: NotRequired[int]
    # What caching saved against the input price, after what writing to caches cost more: negative if that was more. Absent for nothing.
    cacheSavedUsd: NotRequired[float]
    # Output tokens that were hidden reasoning; absent for none.
    reasoningTokens: NotRequired[int]
    day: str

class UsageReportByAgentItem(TypedDict):
    # Cost, exact to a millionth.
    costUsd: float
    # Runs that have ended.
    runs: int
    # Answered messages, one per run.
    messages: int
    inputTokens: int
    outputTokens: int
    # Input tokens that providers read from their caches; absent for none.
    cachedInputTokens: NotRequired[int]
    # Input tokens that providers wrote to their caches; absent for none.
    cacheWriteTokens: NotRequired[int]
    # What caching saved against the input price, after what writing to caches cost more: negative if that was more. Absent for nothing.
    cacheSavedUsd: NotRequired[float]
    # Output tokens that were hidden reasoning; absent for none.
    reasoningTokens: NotRequired[int]
    # All zeros for usage without an agent, such as processing documents.
    agentId: str

class UsageReportByModelItem(TypedDict):
    # Cost, exact to a millionth.
    costUsd: float
    # Runs that have ended.
    runs: int
    # Answered messages, one per run.
    messages: int
    inputTokens: int
    outputTokens: int
    # Input tokens that providers read from their caches; absent for none.
    cachedInputTokens: NotRequired[int]
    # Input tokens that providers wrote to their caches; absent for none.
    cacheWriteTokens: NotRequired[int]
    # What caching saved against the input price, after what writing to caches cost more: negative if that was more. Absent for nothing.
    cacheSavedUsd: NotRequired[float]
    # Output tokens that were hidden reasoning; absent for none.
    reasoningTokens: NotRequired[int]
    provider: Literal["vendor_a", "vendor_b", "vendor_c"]
    model: str

class UsageReportByProtocolItem(TypedDict):
    # Cost, exact to a millionth.
    costUsd: float
    # Runs that have ended.
    runs: int
    # Answered messages, one per run.
    messages: int
    inputTokens: int
    outputTokens: int
    # Input tokens that providers read from their caches; absent for none.
    cachedInputTokens: NotRequired[int]
    # Input tokens that providers wrote to their caches; absent for none.
    cacheWriteTokens: NotRequired[int]
    # What caching saved against the input price, after what writing to caches cost more: negative if that was more. Absent for nothing.
    cacheSavedUsd: NotRequired[float]
    # Output tokens that were hidden reasoning; absent for none.
    reasoningTokens: NotRequired[int]
    # The format that messages were sent in.
    protocol: Literal["native", "ai-sdk-ui", "openai-chat", "openai-responses", "ag-ui", "mcp"]

class UsageReportStorageAgents(TypedDict):
    # The stored amount.
    used: int
    # The plan's quota.
    limit: int

class UsageReportStorageAgentBytes(TypedDict):
    """Agents as JSON, with all stored versions."""
    # The stored amount.
    used: int
    # The plan's quota.
    limit: int

class UsageReportStorageKnowledgeBases(TypedDict):
    # The stored amount.
    used: int
    # The plan's quota.
    limit: int

class UsageReportStorageKnowledgeBytes(TypedDict):
    """Uploaded documents and the text extracted from them."""
    # The stored amount.
    used: int
    # The plan's quota.
    limit: int

class UsageReportStorageConversationRuns(TypedDict):
    """Messages in conversations, each with its answer."""
    # The stored amount.
    used: int
    # The plan's quota.
    limit: int

class UsageReportStorageConversationBytes(TypedDict):
    """Above it the least recently active conversations are deleted."""
    # The stored amount.
    used: int
    # The plan's quota.
    limit: int

class UsageReportStorageAttachmentBytes(TypedDict):
    """Files of messages and the text extracted from them."""
    # The stored amount.
    used: int
    # The plan's quota.
    limit: int

class UsageReportStorageUsers(TypedDict):
    """Members of the team and open invitations."""
    # The stored amount.
    used: int
    # The plan's quota.
    limit: int

class UsageReportStorageApiKeys(TypedDict):
    """Those that are neither revoked nor expired."""
    # The stored amount.
    used: int
    # The plan's quota.
    limit: int

class UsageReportStorageToolSecrets(TypedDict):
    """Secrets of tools."""
    # The stored amount.
    used: int
    # The plan's quota.
    limit: int

class UsageReportStorageTestSets(TypedDict):
    # The stored amount.
    used: int
    # The plan's quota.
    limit: int

class UsageReportStorage(TypedDict):
    """Stored amounts and quotas."""
    agents: "UsageReportStorageAgents"
    # Agents as JSON, with all stored versions.
    agentBytes: "UsageReportStorageAgentBytes"
    knowledgeBases: "UsageReportStorageKnowledgeBases"
    # Uploaded documents and the text extracted from them.
    knowledgeBytes: "UsageReportStorageKnowledgeBytes"
    # Messages in conversations, each with its answer.
    conversationRuns: "UsageReportStorageConversationRuns"
    # Above it the least recently active conversations are deleted.
    conversationBytes: "UsageReportStorageConversationBytes"
    # Files of messages and the text extracted from them.
    attachmentBytes: "UsageReportStorageAttachmentBytes"
    # Members of the team and open invitations.
    users: "UsageReportStorageUsers"
    # Those that are neither revoked nor expired.
    apiKeys: "UsageReportStorageApiKeys"
    # Secrets of tools.
    toolSecrets: "UsageReportStorageToolSecrets"
    testSets: "UsageReportStorageTestSets"

class UsageReport(TypedDict):
    # Cost, exact to a millionth.
    costUsd: float
    # Runs that have ended.
    runs: int
    # Answered messages, one per run.
    messages: int
    inputTokens: int
    outputTokens: int
    # Input tokens that providers read from their caches; absent for none.
    cachedInputTokens: NotRequired[int]
    # Input tokens that providers wrote to their caches; absent for none.
    cacheWriteTokens: NotRequired[int]
    # What caching saved against the input price, after what writing to caches cost more: negative if that was more. Absent for nothing.
    cacheSavedUsd: NotRequired[float]
    # Output tokens that were hidden reasoning; absent for none.
    reasoningTokens: NotRequired[int]
    # Today, UTC.
    day: str
    # When the daily totals reset.
    resetsAt: str
    # Above it, chat responses have the header `x-plan-warning`.
    softLimitUsd: float
    # Above it, messages are rejected until `resetsAt`.
    hardLimitUsd: float
    # Runs in progress.
    activeStreams: int
    maxStreams: int
    # Days with usage, in order.
    days: list["UsageReportDaysItem"]
    # Totals of all days, highest cost first.
    byAgent: list["UsageReportByAgentItem"]
    # Totals of all days, highest cost first.
    byModel: list["UsageReportByModelItem"]
    # Totals of all days, highest cost first.
    byProtocol: list["UsageReportByProtocolItem"]
    # Stored amounts and quotas.
    storage: "UsageReportStorage"

JsonValue = Any

class StartFrame(TypedDict):
    type: Literal["start"]
    requestId: str
    runId: str
    provider: Literal["vendor_a", "vendor_b", "vendor_c"]
    model: str
    conversationId: str
    handoff: NotRequired[Literal["waiting", "taken"]]

class DeltaFrame(TypedDict):
    type: Literal["delta"]
    text: str

class ToolCallFrame(TypedDict):
    type: Literal["tool_call"]
    name: str
    args: "JsonValue"
    progress: NotRequired[str]
    title: NotRequired[str]
    pending: NotRequired[Literal[True]]
    waitsFor: NotRequired[Literal["visitor", "person", "page"]]
    expiresAt: NotRequired[str]

class ToolResultFrame(TypedDict):
    type: Literal["tool_result"]
    name: str
    output: "JsonValue"
    call: NotRequired[int]

class UsageFrame(TypedDict):
    type: Literal["usage"]
    inputTokens: int
    outputTokens: int
    costUsd: float

class ErrorFrame(TypedDict):
    type: Literal["error"]
    code: Literal["budget_exceeded", "provider_error", "provider_timeout", "provider_rate_limited", "plan_limit_exceeded", "run_interrupted", "internal_error"]
    message: str

class DoneFrame(TypedDict):
    type: Literal["done"]
    finishReason: Literal["stop", "length", "content_filter", "max_steps", "max_cost", "timeout", "cancelled", "error"]

class FeedStateFrame(TypedDict):
    type: Literal["state"]
    state: Literal["waiting", "taken", "returned", "closed"]
    # Why the agent has the conversation again without a person's decision: outside business hours, nobody answered in time, or the agent's `handoff` was removed.
    cause: NotRequired[Literal["outside_hours", "no_answer", "switched_off"]]
    # The name that the person shows to the visitor.
    person: NotRequired[str]
    # Whether the visitor may leave an e-mail address and a message: `POST …/contact`.
    form: bool

class FeedMessageFrame(TypedDict):
    type: Literal["message"]
    text: str
    # The name that the person shows to the visitor.
    person: str
    at: str

class FeedTypingFrame(TypedDict):
    type: Literal["typing"]
