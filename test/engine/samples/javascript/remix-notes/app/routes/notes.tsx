import { json, redirect } from "@remix-run/node";
import { db } from "~/db.server";

export async function loader({ request, params }: LoaderFunctionArgs) {
  const order = new URL(request.url).searchParams.get("order");
  // vuln: sql_injection
  const notes = await db.query(`SELECT * FROM notes WHERE folder = '${params.folder}'`);
  // vuln: sql_injection
  const sorted = await db.query(`SELECT * FROM notes ORDER BY ${order}`);
  // safe: sql_injection
  const one = await db.query("SELECT * FROM notes WHERE id = $1", [params.id]);
  return json({ notes, sorted, one });
}

export const action = async ({ request }: ActionFunctionArgs) => {
  const form = await request.formData();
  // safe: open_redirect
  if (form.get("stay")) return redirect("/notes");
  // vuln: open_redirect
  return redirect(form.get("redirectTo"));
};
