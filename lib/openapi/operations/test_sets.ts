import { EXAMPLES } from "../examples.ts";
import { created, json, noContent, ok, operations } from "../operation.ts";

const read = { scope: "agents:read" } as const;
const write = { scope: "agents:write" } as const;
const set = json("TestSet", EXAMPLES.testSet);
const testCase = json("TestCase", EXAMPLES.testCase);
const ids = json("NewTestCaseIds", { ids: [EXAMPLES.testCase.id] });

export const TEST_SET_OPERATIONS = operations({ tag: "Test sets", rateLimited: true }, {
  "GET /v1/test-sets": {
    id: "listTestSets",
    summary: "List test sets",
    description: "Newest first, one page at a time.",
    auth: read,
    parameters: ["limit", "cursor"],
    responses: [ok("One page.", json("TestSetPage", { data: [EXAMPLES.testSet] }))],
    errors: ["schema_validation_failed"],
  },
  "POST /v1/test-sets": {
    id: "createTestSet",
    summary: "Create a test set",
    description: "The plan says how many a tenant may have, by default 50.",
    auth: write,
    idempotent: true,
    body: {
      schema: "TestSetBody",
      example: { name: EXAMPLES.testSet.name, agentId: EXAMPLES.testSet.agentId, threshold: 0.9 },
    },
    responses: [created("The test set.", set, ["Location", "ETag"])],
    errors: ["quota_exceeded"],
  },
  "GET /v1/test-sets/{id}": {
    id: "getTestSet",
    summary: "Read a test set",
    auth: read,
    parameters: ["testSetId"],
    responses: [ok("The test set.", set, ["ETag"])],
    errors: ["not_found"],
  },
  "PATCH /v1/test-sets/{id}": {
    id: "updateTestSet",
    summary: "Change a test set",
    auth: write,
    parameters: ["testSetId", "ifMatchTestSet"],
    body: { schema: "TestSetPatch", example: { threshold: 0.95, judge: null } },
    responses: [ok("The changed test set.", set, ["ETag"])],
    errors: ["not_found", "version_conflict"],
  },
  "DELETE /v1/test-sets/{id}": {
    id: "deleteTestSet",
    summary: "Delete a test set",
    description: "With its cases, runs and results. Runs that are running stop.",
    auth: write,
    parameters: ["testSetId", "ifMatchTestSet"],
    responses: [noContent("It is deleted.")],
    errors: ["not_found", "version_conflict", "payload_too_large"],
  },
  "GET /v1/test-sets/{id}/cases": {
    id: "listTestCases",
    summary: "List the cases of a test set",
    description: "Oldest first, one page at a time.",
    auth: read,
    parameters: ["testSetId", "limit", "cursor"],
    responses: [ok("One page.", json("TestCasePage", { data: [EXAMPLES.testCase] }))],
    errors: ["schema_validation_failed", "not_found"],
  },
  "POST /v1/test-sets/{id}/cases": {
    id: "createTestCases",
    summary: "Add cases",
    description:
      "Up to 400 cases, all or none, also as lines of JSON. A test set has at most 1,000 " +
      "cases and 8 MiB; above that this is a 400. One request adds at most 750 KB; above that it " +
      "is a 413.",
    auth: write,
    idempotent: true,
    parameters: ["testSetId", "configurationLock"],
    body: {
      schema: "NewTestCases",
      example: { cases: [EXAMPLES.testCaseBody] },
      lines: "TestCaseBody",
    },
    responses: [created("The ids of the cases.", ids, [])],
    errors: ["not_found", "configuration_locked"],
  },
  "GET /v1/test-sets/{id}/cases/export": {
    id: "exportTestCases",
    summary: "Export the cases of a test set",
    description: "As lines of JSON, which `POST` to the cases takes.",
    auth: read,
    parameters: ["testSetId"],
    responses: [ok("The lines.", { type: "application/x-ndjson", lines: "TestCaseBody" })],
    errors: ["not_found"],
  },
  "POST /v1/test-sets/{id}/cases/from-run": {
    id: "createTestCaseFromRun",
    summary: "Make a case from an answer",
    description:
      "Copies the question of a stored run, with the turns before it and the results of " +
      "its tools. It expects that the answer cites the documents that the run's answer draws on, and " +
      "that the same tools are called. Also needs `conversations:read`.",
    auth: write,
    idempotent: true,
    parameters: ["testSetId"],
    body: {
      schema: "TestCaseSource",
      example: { runId: "b7a4f1d2-3c58-4e96-8a07-51d9e2c6f043" },
    },
    responses: [created("The id of the case.", ids, [])],
    errors: ["not_found"],
  },
  "GET /v1/test-sets/{id}/cases/{caseId}": {
    id: "getTestCase",
    summary: "Read a case",
    auth: read,
    parameters: ["testSetId", "testCaseId"],
    responses: [ok("The case.", testCase, ["ETag"])],
    errors: ["not_found"],
  },
  "PUT /v1/test-sets/{id}/cases/{caseId}": {
    id: "replaceTestCase",
    summary: "Replace a case",
    auth: write,
    parameters: ["testSetId", "testCaseId", "configurationLock", "ifMatchCase"],
    body: { schema: "TestCaseBody", example: EXAMPLES.testCaseBody },
    responses: [ok("The case.", testCase, ["ETag"])],
    errors: ["not_found", "version_conflict", "configuration_locked"],
  },
  "DELETE /v1/test-sets/{id}/cases/{caseId}": {
    id: "deleteTestCase",
    summary: "Delete a case",
    description: "Results of earlier runs stay.",
    auth: write,
    parameters: ["testSetId", "testCaseId", "configurationLock", "ifMatchCase"],
    responses: [noContent("It is deleted.")],
    errors: ["not_found", "version_conflict", "configuration_locked", "payload_too_large"],
  },
});
