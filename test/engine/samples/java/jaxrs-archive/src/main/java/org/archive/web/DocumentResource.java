package org.archive.web;

import java.io.File;
import java.io.FileInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.Paths;
import java.util.List;
import javax.inject.Inject;
import javax.ws.rs.Consumes;
import javax.ws.rs.DefaultValue;
import javax.ws.rs.GET;
import javax.ws.rs.HeaderParam;
import javax.ws.rs.NotFoundException;
import javax.ws.rs.POST;
import javax.ws.rs.PathParam;
import javax.ws.rs.Produces;
import javax.ws.rs.QueryParam;
import javax.ws.rs.core.Context;
import javax.ws.rs.core.MediaType;
import javax.ws.rs.core.Response;
import javax.ws.rs.core.UriInfo;
import org.archive.data.Documents;
import org.archive.model.Document;

@javax.ws.rs.Path("/documents")
public class DocumentResource {
  private static final File STORE = new File("/srv/archive");
  private static final Path ROOT = Paths.get("/srv/archive");

  @Inject private Documents documents;

  @GET
  public List<Document> titled(@QueryParam("title") String title, @QueryParam("like") String like) {
    return like == null ? documents.titled(title) : documents.like(like);
  }

  @GET
  @javax.ws.rs.Path("sorted")
  public List<?> sorted(@QueryParam("by") @DefaultValue("title") String by, @QueryParam("desc") boolean descending) {
    return documents.sorted(by, descending);
  }

  @GET
  @javax.ws.rs.Path("{id}")
  public Document one(@PathParam("id") long id) {
    return documents.byId(id);
  }

  @GET
  @javax.ws.rs.Path("{id}/page")
  @Produces(MediaType.TEXT_HTML)
  public String page(@PathParam("id") long id, @QueryParam("heading") String heading) {
    if (heading == null) {
      // safe: xss
      return "<h1>" + id + "</h1>";
    }
    // vuln: xss
    return "<h1>" + heading + "</h1>";
  }

  @GET
  @javax.ws.rs.Path("files")
  @Produces(MediaType.APPLICATION_OCTET_STREAM)
  public InputStream file(@QueryParam("name") String name) throws IOException {
    // vuln: path_traversal
    return new FileInputStream(new File(STORE, name));
  }

  @GET
  @javax.ws.rs.Path("checked-files")
  @Produces(MediaType.APPLICATION_OCTET_STREAM)
  public InputStream checkedFile(@QueryParam("name") String name) throws IOException {
    // safe: path_traversal
    File file = new File(STORE, name);
    if (!file.getCanonicalPath().startsWith(STORE.getCanonicalPath() + File.separator)) {
      throw new NotFoundException();
    }
    // safe: path_traversal
    return new FileInputStream(file);
  }

  @POST
  @Consumes(MediaType.APPLICATION_JSON)
  public Response store(Document document) throws IOException {
    // vuln: path_traversal
    Files.write(ROOT.resolve(document.getFile()), new byte[document.getPages()]);
    Path target = ROOT.resolve(document.getFile()).normalize();
    if (!target.startsWith(ROOT)) {
      return Response.status(400).build();
    }
    // safe: path_traversal
    Files.write(target, new byte[document.getPages()]);
    // safe: open_redirect
    return Response.seeOther(URI.create("/documents/" + document.getTitle())).build();
  }

  @GET
  @javax.ws.rs.Path("back")
  public Response back(@HeaderParam("Referer") String referer, @Context UriInfo info) {
    if (referer != null) {
      // safe: open_redirect
      return Response.seeOther(URI.create(referer)).build();
    }
    // vuln: open_redirect
    return Response.temporaryRedirect(URI.create(info.getQueryParameters().getFirst("to"))).build();
  }

  @POST
  @javax.ws.rs.Path("print")
  public void print(@QueryParam("printer") String printer, @QueryParam("copies") int copies) throws IOException {
    // vuln: command_injection
    Runtime.getRuntime().exec(new String[] {"sh", "-c", "lp -d " + printer});
    // safe: command_injection
    Runtime.getRuntime().exec(new String[] {"sh", "-c", "lp -n " + copies});
  }
}
