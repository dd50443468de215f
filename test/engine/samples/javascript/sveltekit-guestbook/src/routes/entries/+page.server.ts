import { redirect } from "@sveltejs/kit";
import { db } from "$lib/db";
import type { Actions, PageServerLoad } from "./$types";

export const load: PageServerLoad = async (event) => {
  // vuln: sql_injection
  const book = await db.query(`SELECT * FROM books WHERE slug = '${event.params.slug}'`);
  // vuln: open_redirect
  if (!book) redirect(302, event.url.searchParams.get("back"));
  return { book };
};

export const actions: Actions = {
  sign: async ({ request }) => {
    const data = await request.formData();
    // vuln: sql_injection
    await db.query(`INSERT INTO entries (name) VALUES ('${data.get("name")}')`);
    // safe: open_redirect
    redirect(303, "/entries");
  },
};
