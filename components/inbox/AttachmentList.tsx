import type { MessageAttachment } from "@/lib/schemas/attachment.ts";
import { formatBytes } from "../../lib/dashboard/format_amount.ts";
import { NewTabLink } from "../NewTabLink.tsx";
import { t } from "@/lib/dashboard/texts/translate.ts";

/** The files of a message: images as thumbnails, documents as links. */
export function AttachmentList(
  { attachments }: { attachments: readonly MessageAttachment[] },
) {
  return (
    <ul class="attachments" aria-label={t("Attachments")}>
      {attachments.map((one) => (
        <li key={one.id}>
          <AttachmentLink attachment={one} />
        </li>
      ))}
    </ul>
  );
}

function AttachmentLink({ attachment }: { attachment: MessageAttachment }) {
  const { id, kind, bytes } = attachment;
  const href = `/conversations/attachments/${id}`;
  const name = attachment.name ?? (kind === "image" ? t("Image") : t("Document"));
  return (
    <NewTabLink class="attachment" href={href}>
      {kind === "image" && <img src={href} alt="" loading="lazy" />}
      <span class="attachment-name" dir="auto">{name}</span>
      <span class="help">{formatBytes(bytes)}</span>
    </NewTabLink>
  );
}
