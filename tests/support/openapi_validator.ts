/** The validator, for tests beside the source: packages of tests are known below `tests/` only. */
export { Validator } from "@seriousme/openapi-schema-validator";
