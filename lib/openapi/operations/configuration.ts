import { EXAMPLES } from "../examples.ts";
import { json, noContent, ok, operations } from "../operation.ts";

const read = { scope: "agents:read" } as const;
const write = { scope: "agents:write" } as const;

const lock = {
  note: "Deployment 1138",
  createdAt: "2026-01-15T09:20:00.000Z",
  expiresAt: "2026-01-15T09:21:30.000Z",
};
const keyed = { kind: "agents" as const, key: "shop-assistant", id: EXAMPLES.agent.id };
const configured = json("ConfiguredResource", { ...keyed, version: 3 });

/** For those who keep agents as files, such as `deno task agents`. */
export const CONFIGURATION_OPERATIONS = operations({ tag: "Configuration", rateLimited: true }, {
  "GET /v1/configuration/lock": {
    id: "getConfigurationLock",
    summary: "Read the lock",
    auth: read,
    responses: [ok("The lock.", json("ConfigurationLock", lock))],
    errors: ["not_found"],
  },
  "PUT /v1/configuration/lock": {
    id: "lockConfiguration",
    summary: "Lock the configuration, or extend the lock",
    description:
      "A tenant has one lock, which expires 90 seconds after its last use. Changes that name it in " +
      "`Configuration-Lock` extend it, and are rejected with a 409 as soon as another client has it. " +
      "After it has expired, others may take it. Changes without the header are not affected: use `If-Match` " +
      "to notice them.",
    auth: write,
    body: {
      schema: "ConfigurationLockBody",
      example: { id: "5f0c2d1e-8a37-4b96-9e04-c3d7a1b25f68", note: lock.note },
    },
    responses: [ok("The lock.", json("ConfigurationLock", lock))],
    errors: ["configuration_locked"],
  },
  "DELETE /v1/configuration/lock": {
    id: "unlockConfiguration",
    summary: "Release the lock",
    description: "Releasing a lock that has expired is not an error.",
    auth: write,
    parameters: ["configurationLock"],
    responses: [noContent("It is released.")],
    errors: ["configuration_locked", "schema_validation_failed", "payload_too_large"],
  },
  "POST /v1/configuration/check": {
    id: "checkConfiguration",
    summary: "Check agents and test sets",
    description:
      "Everything that is wrong with these bodies, as storing them would report, and secrets that do " +
      "not exist. Stores nothing. At most 500 of each.",
    auth: read,
    body: {
      schema: "ConfigurationCheckBody",
      example: { agents: [{ body: EXAMPLES.agentBody }] },
    },
    responses: [
      ok(
        "What is wrong.",
        json("ConfigurationCheck", {
          issues: [{
            path: "agents.0.tools.0.request",
            code: "unknown_secret",
            message: "uses the secret SHOP_TOKEN, which is not stored",
          }],
        }),
      ),
    ],
  },
  "GET /v1/configuration/keys": {
    id: "listResourceKeys",
    summary: "List the resources with keys",
    description: "By kind and key. A resource may be gone already: then its key can be used again.",
    auth: read,
    parameters: ["limit", "cursor"],
    responses: [ok("One page.", json("KeyedResourcePage", { data: [keyed] }))],
    errors: ["schema_validation_failed"],
  },
  "PUT /v1/configuration/{kind}/{key}": {
    id: "putResource",
    summary: "Create or replace a resource by its key",
    description:
      "Creates it if the key is unused, and else replaces the whole: what the body leaves out is " +
      "unset. Documents and cases are not part of it. An equal body changes nothing. Knowledge bases " +
      "also need `knowledge:write`.",
    auth: write,
    parameters: [
      ...["resourceKind", "resourceKey", "adopt", "configurationLock"] as const,
      ...["ifMatchResource", "ifNoneMatchResource"] as const,
    ],
    body: { schema: "ResourceBody", example: EXAMPLES.agentBody },
    responses: [
      ok("It is stored.", configured, ["ETag"]),
    ],
    errors: [
      ...["not_found", "version_conflict", "configuration_locked", "quota_exceeded"] as const,
    ],
  },
  "DELETE /v1/configuration/{kind}/{key}": {
    id: "deleteResource",
    summary: "Delete a resource by its key",
    description: "With all that belongs to it; frees the key. Knowledge bases also need " +
      "`knowledge:write`.",
    auth: write,
    parameters: ["resourceKind", "resourceKey", "configurationLock", "ifMatchResource"],
    responses: [noContent("It is deleted.")],
    errors: ["not_found", "version_conflict", "configuration_locked", "payload_too_large"],
  },
});
