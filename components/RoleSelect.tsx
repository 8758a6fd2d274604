import type { Role } from "@/lib/services/signed_in_user.ts";
import { Field } from "./Field.tsx";
import { msg, t } from "@/lib/dashboard/texts/translate.ts";

/** Roles with their labels. */
export const ROLES: readonly [Role, string][] = [
  ["owner", msg("Owner: full access, including the team")],
  ["admin", msg("Admin: manages agents, keys, secrets and settings")],
  ["viewer", msg("Viewer: read-only access")],
];

/** The role that a form names, if it is one. */
export function parseRole(text: string | null): Role | undefined {
  return ROLES.find(([role]) => role === text)?.[0];
}

export function RoleSelect({ value }: { value: Role }) {
  return (
    <Field name="role" label={t("Role")}>
      {(attributes) => (
        <select {...attributes}>
          {ROLES.map(([role, label]) => (
            <option key={role} value={role} selected={role === value}>{t(label)}</option>
          ))}
        </select>
      )}
    </Field>
  );
}
