import { redirect } from "next/navigation";

export async function GET(request: Request) {
  const { searchParams } = new URL(request.url);
  const tab = searchParams.get("tab");
  if (tab === "new") {
    // safe: open_redirect
    redirect(`/posts?tab=${tab}`);
  }
  // vuln: open_redirect
  redirect(searchParams.get("to"));
}
