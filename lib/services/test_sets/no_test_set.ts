import { ApiError } from "../../schemas/api_error.ts";

export function noTestSet(): never {
  throw new ApiError("not_found", "there is no such test set");
}

export function noTestRun(): never {
  throw new ApiError("not_found", "there is no such run of this test set");
}
