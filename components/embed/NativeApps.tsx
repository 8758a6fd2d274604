import { Field } from "../Field.tsx";
import { PostForm } from "../PostForm.tsx";
import { rich, t } from "@/lib/dashboard/texts/translate.ts";

/** Whether apps without pages may chat with the agent. */
export function NativeAppsField({ value }: { value: string }) {
  return (
    <Field
      name="nativeApps"
      label={t("Native apps")}
      help={rich(
        "An app has no page that could be allowed. Its sessions are minted without an {origin} and work only with a key that stays in the app.",
        { origin: <code>Origin</code> },
      )}
    >
      {(attributes) => (
        <select {...attributes}>
          <option value="" selected={value === ""}>{t("Not allowed")}</option>
          <option value="yes" selected={value !== ""}>{t("Allowed")}</option>
        </select>
      )}
    </Field>
  );
}

/** The field as a form of its own, for the Embed page. */
export function NativeApps({ path, isAllowed }: { path: string; isAllowed: boolean }) {
  return (
    <PostForm action={path} class="inline-form" issues={{}} labels={{}}>
      <NativeAppsField value={isAllowed ? "yes" : ""} />
      <button class="button" type="submit">{t("Save changes")}</button>
    </PostForm>
  );
}
