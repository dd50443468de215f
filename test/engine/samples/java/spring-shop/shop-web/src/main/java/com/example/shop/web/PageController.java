package com.example.shop.web;

import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.ByteArrayInputStream;
import java.io.File;
import java.io.IOException;
import java.io.ObjectInputStream;
import java.util.Base64;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.expression.ExpressionParser;
import org.springframework.expression.spel.standard.SpelExpressionParser;
import org.springframework.stereotype.Controller;
import org.springframework.ui.Model;
import org.springframework.web.bind.annotation.CookieValue;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestHeader;
import org.springframework.web.bind.annotation.RequestParam;
import org.springframework.web.multipart.MultipartFile;
import org.springframework.web.servlet.ModelAndView;
import org.yaml.snakeyaml.Yaml;
import org.yaml.snakeyaml.constructor.SafeConstructor;

@Controller
public class PageController {
  private static final Logger log = LoggerFactory.getLogger(PageController.class);
  private final ExpressionParser parser = new SpelExpressionParser();

  @GetMapping("/login")
  public String login(@RequestParam String next) {
    // vuln: open_redirect
    return "redirect:" + next;
  }

  @GetMapping("/logout")
  public String logout(@RequestParam String tab) {
    // safe: open_redirect
    return "redirect:/home?tab=" + tab;
  }

  @GetMapping("/page")
  public String page(@RequestParam String name) {
    // vuln: ssti
    return "pages/" + name;
  }

  @GetMapping("/home")
  public String home(@RequestParam String name, Model model) {
    model.addAttribute("name", name);
    // safe: ssti
    return "home";
  }

  @GetMapping("/go")
  public ModelAndView go(@RequestParam String to) {
    // vuln: open_redirect
    return new ModelAndView("redirect:" + to);
  }

  @PostMapping("/filter")
  public String filter(@RequestParam String expression, Model model) {
    // vuln: code_injection
    model.addAttribute("value", parser.parseExpression(expression).getValue());
    // safe: code_injection
    model.addAttribute("other", parser.parseExpression("#root.size()").getValue());
    return "filter";
  }

  @PostMapping("/state")
  public String state(@CookieValue("state") String state, @RequestHeader("X-Shape") String shape) throws Exception {
    byte[] bytes = Base64.getDecoder().decode(state);
    // vuln: deserialization
    Object read = new ObjectInputStream(new ByteArrayInputStream(bytes)).readObject();
    // safe: deserialization
    Object json = new ObjectMapper().readValue(bytes, java.util.Map.class);
    // vuln: deserialization
    Object yaml = new Yaml().load(shape);
    // safe: deserialization
    Object safe = new Yaml(new SafeConstructor()).load(shape);
    // vuln: log_injection
    log.info("state " + shape);
    // safe: log_injection
    log.info("state {}", shape.replace('\n', ' ').replace('\r', ' '));
    return read == null || json == null || yaml == null || safe == null ? "none" : "some";
  }

  @PostMapping("/upload")
  public String upload(@RequestParam MultipartFile file) throws IOException {
    // vuln: path_traversal
    file.transferTo(new File("/srv/uploads/" + file.getOriginalFilename()));
    // safe: path_traversal
    file.transferTo(new File("/srv/uploads/" + java.util.UUID.randomUUID() + ".bin"));
    return "uploaded";
  }
}
