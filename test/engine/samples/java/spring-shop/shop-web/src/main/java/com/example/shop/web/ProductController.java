package com.example.shop.web;

import com.example.shop.core.*;
import java.io.IOException;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import org.springframework.http.MediaType;
import org.springframework.http.ResponseEntity;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestBody;
import org.springframework.web.bind.annotation.RequestMapping;
import org.springframework.web.bind.annotation.RequestParam;
import org.springframework.web.bind.annotation.RestController;
import org.springframework.web.util.HtmlUtils;

@RestController
@RequestMapping("/products")
public class ProductController extends BaseController {
  enum Size {
    SMALL,
    LARGE
  }

  private final ProductService products;

  public ProductController(ProductService products) {
    this.products = products;
  }

  @GetMapping
  public List<Product> search(@RequestParam String term, @RequestParam(defaultValue = "id") String order) {
    return products.search(term, order);
  }

  @PostMapping
  public Product save(@RequestBody Product product) {
    return products.save(product);
  }

  @PostMapping("/some")
  public List<Product> some(@RequestBody List<Long> ids) {
    return products.byIds(ids);
  }

  @GetMapping("/preview")
  public String preview(@RequestParam("url") String url) {
    return HtmlUtils.htmlEscape(products.preview(url));
  }

  @GetMapping(value = "/{name}/picture", produces = MediaType.IMAGE_PNG_VALUE)
  public byte[] picture(@PathVariable String name) {
    return products.picture(name);
  }

  @GetMapping("/hello")
  public String hello(@RequestParam Optional<String> name) {
    // vuln: xss
    return "<h1>Hello " + name.orElse("you") + "</h1>";
  }

  @GetMapping("/goodbye")
  public String goodbye(@RequestParam String name) {
    // safe: xss
    return "<h1>Goodbye " + HtmlUtils.htmlEscape(name) + "</h1>";
  }

  @GetMapping(value = "/plain", produces = "application/json")
  public String plain(@RequestParam String name) {
    // safe: xss
    return "{\"name\": \"" + name + "\"}";
  }

  @GetMapping("/size")
  public String size(@RequestParam Size size, @RequestParam UUID id, @RequestParam int page) {
    // safe: xss
    return "<p>" + size + id + page + "</p>";
  }

  @GetMapping("/text")
  public String fromBase() {
    // vuln: xss
    return "<p>" + text("title") + "</p>";
  }

  @GetMapping("/number")
  public String numberFromBase() {
    // safe: xss
    return "<p>" + number("page", 1) + "</p>";
  }

  @GetMapping("/entity")
  public ResponseEntity<String> entity(@RequestParam String name) {
    // safe: xss
    return ResponseEntity.ok().contentType(MediaType.TEXT_PLAIN).body("name " + name);
  }

  @PostMapping("/convert")
  public void convert(@RequestParam String format, @RequestParam String file) throws IOException {
    // vuln: command_injection
    Runtime.getRuntime().exec("convert " + file + " out." + format);
    if ("png".equals(format)) {
      // safe: command_injection
      Runtime.getRuntime().exec("convert in.jpg out." + format);
    }
  }
}
