import { ModelError } from "../model.ts";

/** A model's name as a path. Throws a `ModelError` if it would lead elsewhere. */
export function modelPath(model: string): string {
  const parts = (model.includes("/") ? model : `models/${model}`).split("/");
  if (parts.some((part) => part === "" || part === "." || part === "..")) {
    throw new ModelError("provider_error", "the model's name cannot be asked for");
  }
  return parts.map(encodeURIComponent).join("/");
}
