import type { Role } from "@/lib/services/signed_in_user.ts";
import { Field } from "./Field.tsx";

/** Roles with what each may do, as people choose them. */
export const ROLES: readonly [Role, string][] = [
  ["owner", "Owner: everything, and who is in the team"],
  ["admin", "Admin: agents, keys, secrets and settings"],
  ["viewer", "Viewer: looks at everything, changes nothing"],
];

/** The role a form names; none where it names none of them. */
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
