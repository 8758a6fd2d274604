import { EXAMPLES } from "../examples.ts";
import { json, noContent, ok, operations } from "../operation.ts";

const read = { scope: "agents:read" } as const;
const write = { scope: "agents:write" } as const;
const run = json("TestRun", EXAMPLES.testRun);

export const TEST_RUN_OPERATIONS = operations({ tag: "Test sets", rateLimited: true }, {
  "GET /v1/test-sets/{id}/runs": {
    id: "listTestRuns",
    summary: "List the runs of a test set",
    description: "Newest first, one page at a time. The last 50 are kept.",
    auth: read,
    parameters: ["testSetId", "limit", "cursor"],
    responses: [ok("One page.", json("TestRunPage", { data: [EXAMPLES.testRun] }))],
    errors: ["schema_validation_failed", "not_found"],
  },
  "POST /v1/test-sets/{id}/runs": {
    id: "startTestRun",
    summary: "Run a test set on a version",
    description:
      "Asks a version of the agent every enabled case, in the background. Nothing but models is called, " +
      "and the agent's knowledge base searched: tools answer with the results of the case. The budget " +
      "is set aside first, and pays for the judge too. When it is used up, the rest is not run.",
    auth: write,
    parameters: ["testSetId"],
    body: { schema: "NewTestRun", example: { version: "draft", threshold: 0.9 } },
    responses: [{
      status: 202,
      description: "The run has begun.",
      headers: ["Location"],
      content: json("TestRun", EXAMPLES.testRun),
    }],
    errors: ["not_found", "plan_limit_exceeded"],
  },
  "GET /v1/test-sets/{id}/runs/{testRunId}": {
    id: "getTestRun",
    summary: "Read a run of a test set",
    description: "How far it is, and what it found.",
    auth: read,
    parameters: ["testSetId", "testRunId"],
    responses: [ok("The run.", run)],
    errors: ["not_found"],
  },
  "DELETE /v1/test-sets/{id}/runs/{testRunId}": {
    id: "deleteTestRun",
    summary: "Delete a run of a test set",
    description: "Stops it, and deletes its results.",
    auth: write,
    parameters: ["testSetId", "testRunId"],
    responses: [noContent("It is deleted.")],
    errors: ["not_found", "payload_too_large"],
  },
  "POST /v1/test-sets/{id}/runs/{testRunId}/stop": {
    id: "stopTestRun",
    summary: "Stop a run of a test set",
    description: "Answers that are being made end at once. Nothing happens to one that has ended.",
    auth: write,
    parameters: ["testSetId", "testRunId"],
    responses: [{ status: 202, description: "It stops, or has ended." }],
    errors: ["not_found", "payload_too_large"],
  },
  "POST /v1/test-sets/{id}/runs/{testRunId}/resume": {
    id: "resumeTestRun",
    summary: "Continue a test run",
    description:
      "With the cases that have no result, and what is left of its budget, after it was " +
      "stopped or interrupted. 412 if it is running, has no budget left or is done, or if the cases " +
      "have changed since.",
    auth: write,
    parameters: ["testSetId", "testRunId"],
    responses: [{ status: 202, description: "The run continues.", content: run }],
    errors: [
      ...["not_found", "version_conflict", "payload_too_large"] as const,
      ...["schema_validation_failed", "plan_limit_exceeded"] as const,
    ],
  },
  "GET /v1/test-sets/{id}/runs/{testRunId}/results": {
    id: "listTestResults",
    summary: "List the results of a run",
    description: "In the order of the cases, one page at a time.",
    auth: read,
    parameters: ["testSetId", "testRunId", "limit", "cursor"],
    responses: [ok("One page.", json("TestResultPage", { data: [EXAMPLES.testResult] }))],
    errors: ["schema_validation_failed", "not_found"],
  },
  "GET /v1/test-sets/{id}/runs/{testRunId}/results/export": {
    id: "exportTestResults",
    summary: "Export the results of a run",
    auth: read,
    parameters: ["testSetId", "testRunId", "resultFormat"],
    responses: [{
      status: 200,
      description: "All results.",
      content: [
        { type: "application/x-ndjson", lines: "TestResult" },
        { type: "text/csv" },
      ],
    }],
    errors: ["schema_validation_failed", "not_found"],
  },
  "GET /v1/test-sets/{id}/runs/{testRunId}/comparison": {
    id: "compareTestRuns",
    summary: "Compare a run with another",
    description:
      "The cases that fail or pass now, and the difference in cost and time. 404 if there " +
      "is no other run.",
    auth: read,
    parameters: ["testSetId", "testRunId", "beforeTestRun"],
    responses: [ok("The comparison.", json("TestComparison", EXAMPLES.testComparison))],
    errors: ["schema_validation_failed", "not_found"],
  },
});
