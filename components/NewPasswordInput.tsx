import { MIN_PASSWORD_LENGTH } from "@/lib/schemas/limits.ts";
import type { ControlAttributes } from "./Field.tsx";

/** The control of a field for a new password. */
export function NewPasswordInput({ attributes }: { attributes: ControlAttributes }) {
  return (
    <input
      type="password"
      {...attributes}
      required
      minLength={MIN_PASSWORD_LENGTH}
      autocomplete="new-password"
    />
  );
}
