import { useEffect, useState } from "preact/hooks";
import type { ControlAttributes } from "@/components/Field.tsx";
import { shrinkImage } from "@/lib/dashboard/browser/shrink_image.ts";
import { t } from "@/lib/dashboard/texts/translate.ts";

/** A letter or emoji by typing, or an image that the browser makes small enough to store. */
export default function AvatarPicker(
  { value, ...attributes }: ControlAttributes & { value: string },
) {
  const [avatar, setAvatar] = useState(value);
  const [isReady, setReady] = useState(false);
  const [problem, setProblem] = useState("");
  useEffect(() => setReady(true), []);
  const isImage = avatar.startsWith("data:");
  useEffect(() => {
    const input = document.getElementById(attributes.id);
    if (avatar !== value) input?.dispatchEvent(new Event("input", { bubbles: true }));
  }, [avatar]);
  async function choose(file: File | undefined): Promise<void> {
    if (file === undefined) return;
    const image = await shrinkImage(file).catch(() => undefined);
    setProblem(image === undefined ? t("This file is not an image that can be used.") : "");
    if (image !== undefined) setAvatar(image);
  }
  return (
    <div class="avatar-picker">
      {isImage
        ? (
          <>
            <input
              type="hidden"
              {...attributes}
              data-default={value}
              value={avatar}
              onInput={(event) => setAvatar(event.currentTarget.value)}
            />
            <span>{t("Image chosen")}</span>
          </>
        )
        : (
          <input
            type="text"
            {...attributes}
            data-default={value}
            value={avatar}
            onInput={(event) => setAvatar(event.currentTarget.value)}
          />
        )}
      {isReady && (
        <>
          <label class="button">
            {isImage ? t("Replace image") : t("Upload image")}
            <input
              class="sr-only"
              type="file"
              accept="image/png,image/jpeg,image/webp"
              onChange={(event) => choose(event.currentTarget.files?.[0])}
            />
          </label>
          {isImage && (
            <button class="button" type="button" onClick={() => setAvatar("")}>
              {t("Remove image")}
            </button>
          )}
        </>
      )}
      {problem !== "" && <p class="field-error" role="alert">{problem}</p>}
    </div>
  );
}
