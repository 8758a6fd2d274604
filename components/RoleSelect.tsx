import type { Role } from "@/lib/services/signed_in_user.ts";
import { Field } from "./Field.tsx";

/** Roles with their labels. */
export const ROLES: readonly [Role, string][] = [
  ["owner", "Owner: full access, including the team"],
  ["admin", "Admin: manages agents, keys, secrets and settings"],
  ["viewer", "Viewer: read-only access"],
];

/** The role that a form names, if it is one. */
export function parseRole(text: string | null): Role | undefined {
  return ROLES.find(([role]) => role === text)?.[0];
}

export function RoleSelect({ value }: { value: Role }) {
  return (
    <Field name="role" label="Role">
      {(attributes) => (
        <select {...attributes}>
          {ROLES.map(([role, label]) => (
            <option key={role} value={role} selected={role === value}>{label}</option>
          ))}
        </select>
      )}
    </Field>
  );
}
