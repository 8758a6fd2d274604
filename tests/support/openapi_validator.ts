/** The validator, re-exported: test packages can be imported only below `tests/`. */
export { Validator } from "@seriousme/openapi-schema-validator";
