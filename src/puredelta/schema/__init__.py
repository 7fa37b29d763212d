"""What a type is: data types and their forms as JSON, Arrow and text; knows no rule of Delta."""
