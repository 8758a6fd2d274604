import CopyButton from "@/islands/CopyButton.tsx";
import { NewTabLink } from "../NewTabLink.tsx";
import { t } from "@/lib/dashboard/texts/translate.ts";

export interface ShareCardProps {
  /** The address of the Appearance page. */
  path: string;
  /** The link, while it is switched on. */
  url: string | undefined;
  editor: boolean;
}

/** A page of this service with nothing but the chat, for everyone who has its link. */
export function ShareCard({ path, url, editor }: ShareCardProps) {
  return (
    <section class="card stack" aria-labelledby="share">
      <div>
        <h2 id="share">{t("Share link")}</h2>
        <p class="help">
          {t("A page with this chat, for people who have the link. No site needed.")}
        </p>
      </div>
      {url !== undefined && (
        <p class="share-link">
          <code>{url}</code>
          <CopyButton text={url} what={t("share link")} />
          <NewTabLink class="button button-small" href={url}>{t("Open")}</NewTabLink>
        </p>
      )}
      {editor && url !== undefined && (
        <p class="help">
          {t("Replacing the link or switching it off also ends the chats on its page.")}
        </p>
      )}
      {editor && (
        <form class="form-actions" method="post" action={`${path}/share`}>
          {url === undefined
            ? <button class="button" type="submit" name="state" value="on">{t("Switch on")}</button>
            : (
              <>
                <button class="button" type="submit" name="state" value="on">
                  {t("Replace the link")}
                </button>
                <button class="button button-danger" type="submit" name="state" value="off">
                  {t("Switch off")}
                </button>
              </>
            )}
        </form>
      )}
      {!editor && url === undefined && <p class="help">{t("Switched off.")}</p>}
    </section>
  );
}
