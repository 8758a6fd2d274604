import { Head } from "fresh/runtime";
import ReloadWhileRunning from "@/islands/ReloadWhileRunning.tsx";

/** Shows the page again while a website is being read. */
export function ReloadWhileCrawling({ path }: { path: string }) {
  return (
    <>
      <Head>
        <noscript>
          <meta http-equiv="refresh" content={`5;url=${path}`} />
        </noscript>
      </Head>
      <ReloadWhileRunning />
    </>
  );
}
