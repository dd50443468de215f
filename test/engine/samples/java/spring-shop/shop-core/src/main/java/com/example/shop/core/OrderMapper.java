package com.example.shop.core;

import java.util.List;
import org.apache.ibatis.annotations.Delete;
import org.apache.ibatis.annotations.Mapper;
import org.apache.ibatis.annotations.Param;
import org.apache.ibatis.annotations.Select;

@Mapper
public interface OrderMapper {
  // safe: sql_injection
  @Select("SELECT * FROM orders WHERE customer = #{customer}")
  List<Product> ofCustomer(@Param("customer") String customer);

  // vuln: sql_injection
  @Select("SELECT * FROM orders ORDER BY ${column}")
  List<Product> sorted(@Param("column") String column);

  // vuln: sql_injection
  @Delete({"<script>", "DELETE FROM orders WHERE state = '${state}'", "</script>"})
  int drop(@Param("state") String state);

  // todo-safe: sql_injection
  @Select("SELECT * FROM orders LIMIT ${count}")
  List<Product> first(@Param("count") int count);

  List<Product> find(@Param("name") String name, @Param("order") String order);
}
