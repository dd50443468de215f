package org.archive.data;

import java.util.List;
import javax.ejb.Stateless;
import javax.persistence.EntityManager;
import javax.persistence.PersistenceContext;
import org.archive.model.Document;

@Stateless
public class Documents {
  @PersistenceContext private EntityManager manager;

  public List<Document> titled(String title) {
    // vuln: sql_injection
    return manager.createQuery("SELECT d FROM Document d WHERE d.title = '" + title + "'", Document.class).getResultList();
  }

  public List<Document> like(String title) {
    // safe: sql_injection
    return manager
        .createQuery("SELECT d FROM Document d WHERE d.title LIKE :title", Document.class)
        .setParameter("title", "%" + title + "%")
        .getResultList();
  }

  public List<?> sorted(String column, boolean descending) {
    // vuln: sql_injection
    return manager.createNativeQuery("SELECT * FROM document ORDER BY " + column + (descending ? " DESC" : "")).getResultList();
  }

  public Document byId(long id) {
    // safe: sql_injection
    return (Document) manager.createNativeQuery("SELECT * FROM document WHERE id = " + id, Document.class).getSingleResult();
  }
}
